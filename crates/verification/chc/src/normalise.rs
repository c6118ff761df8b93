//! From a system to its graph.
//!
//! A clause becomes an edge. Where an argument is a variable of the clause that no other argument has taken,
//! the canonical variable replaces it; any other argument becomes an equation. What is left of the clause's
//! variables is auxiliary. Clauses do not share variables, so edges do not share auxiliaries.

use shem_term::{Store, Substitution, Term};

use crate::graph::{Edge, EdgeId, Graph, VertexId};
use crate::system::{Atom, ClauseId, PredicateId, System};

impl VertexId {
    /// The vertex of a predicate in the graph as normalised.
    pub const fn of(predicate: PredicateId) -> VertexId {
        VertexId::new(predicate.index() + 1)
    }

    /// The predicate of a vertex of the graph as normalised; `None` for false.
    pub const fn predicate(self) -> Option<PredicateId> {
        match self.index() {
            0 => None,
            i => Some(PredicateId::new(i - 1)),
        }
    }
}

impl EdgeId {
    /// The edge of a clause in the graph as normalised.
    pub const fn of(clause: ClauseId) -> EdgeId {
        EdgeId::new(clause.index())
    }

    /// The clause of an edge of the graph as normalised.
    pub const fn clause(self) -> ClauseId {
        ClauseId::new(self.index())
    }
}

/// Universal premises are left out: see [`System::has_premises`].
///
/// The graph of a system: the vertex [`VertexId::of`] for each predicate, the edge [`EdgeId::of`] for each
/// clause.
pub fn normalise(store: &mut Store, system: &System) -> Graph {
    let mut graph = Graph::new();
    for predicate in &system.predicates {
        graph.add_vertex(store, &predicate.name, &predicate.sorts);
    }
    let mut conjuncts = Vec::new();
    for clause in &system.clauses {
        let mut naming = Naming { substitution: Substitution::new(), equations: Vec::new() };
        let mut sources: Vec<VertexId> = Vec::with_capacity(clause.body.len());
        for atom in &clause.body {
            let vertex = VertexId::of(atom.predicate);
            let copy = sources.iter().filter(|&&v| v == vertex).count();
            graph.ensure_copy(store, vertex, copy);
            naming.add(store, atom, graph.vertex(vertex).source(copy));
            sources.push(vertex);
        }
        let mut target = VertexId::FALSE;
        if let Some(head) = &clause.head {
            target = VertexId::of(head.predicate);
            naming.add(store, head, graph.vertex(target).target());
        }
        conjuncts.clear();
        conjuncts.push(store.substitute(clause.constraint, &naming.substitution));
        for (variable, argument) in naming.equations {
            // Most of these arguments are variables, which need no walk.
            let argument = match store.as_var(argument).and_then(|symbol| naming.substitution.get(symbol)) {
                Some(renamed) => renamed.xor(argument.is_negated()),
                None => store.substitute(argument, &naming.substitution),
            };
            conjuncts.push(store.eq(variable, argument));
        }
        let label = store.and(&conjuncts);
        graph.add_edge(store, Edge { sources, target, label });
    }
    graph
}

/// How the variables of a clause are renamed.
struct Naming {
    substitution: Substitution,
    /// Canonical variables with the arguments that they equal, not renamed yet.
    equations: Vec<(Term, Term)>,
}

impl Naming {
    fn add(&mut self, store: &Store, atom: &Atom, canonical: &[Term]) {
        for (&variable, &argument) in canonical.iter().zip(&atom.args) {
            match store.as_var(argument) {
                Some(symbol) if !argument.is_negated() && self.substitution.get(symbol).is_none() => {
                    self.substitution.insert(symbol, variable);
                }
                _ => self.equations.push((variable, argument)),
            }
        }
    }
}
