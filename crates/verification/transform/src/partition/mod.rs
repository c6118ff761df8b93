//! Partition of a graph into parts that can be solved by themselves.
//!
//! Two things can be divided. The *queries*, the edges to false: each part keeps all other edges and has some of the
//! queries, or a case of the constraint of one. An interpretation of each part is closed under the same edges, and so is
//! their conjunction, since bodies only become stronger; it excludes falsehood by each query, also where edges have
//! several sources. And the *facts*, the edges from true: here it is the disjunction that is closed, which holds only where
//! every edge has at most one source. Both divisions make a grid: each row has some of the queries, each column some of
//! the facts, and the interpretation of the whole is the conjunction over the rows of the disjunctions in each.
//!
//! What is derived in a part is derived in the whole by the edges of the same ids, since a constraint of a part implies that of
//! the whole. So one part suffices to show that falsehood can be derived, and all are needed to show the opposite.
//!
//! Edges are divided by location: those that come from the same vertex stay together as long as they can. Where there are too
//! few, a constraint is divided into cases ([`cases`]), as lookahead divides an SMT query into cubes.

mod cases;

use std::collections::BTreeMap;

use shem_base::Budget;
use shem_chc::{EdgeId, Graph, Interpretation, VertexId};
use shem_term::{Store, Term};

use self::cases::Cases;

/// What is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PartitionBy {
    /// The queries, or the facts where there is nothing to divide in the queries.
    #[default]
    Either,
    /// The queries: by location, then by cases of their constraints.
    Queries,
    /// The facts, of systems whose edges have at most one source: by location, then by cases of initial states.
    Facts,
    /// Both, about as much of each.
    Both,
}

impl PartitionBy {
    /// The words for what can be divided.
    pub const WORDS: &[&str] = &["either", "queries", "facts", "both"];
}

impl std::str::FromStr for PartitionBy {
    type Err = String;

    fn from_str(word: &str) -> Result<PartitionBy, String> {
        match word {
            "either" => Ok(PartitionBy::Either),
            "queries" => Ok(PartitionBy::Queries),
            "facts" => Ok(PartitionBy::Facts),
            "both" => Ok(PartitionBy::Both),
            _ => Err(format!("{word} cannot be divided: it is one of {}", PartitionBy::WORDS.join(", "))),
        }
    }
}

/// Some edges, with the constraints that they have in a part.
type Group = BTreeMap<EdgeId, Term>;

/// A graph that is divided into parts.
#[derive(Clone, Debug)]
pub struct Partition {
    /// The parts: those of the first row, then those of the second.
    parts: Vec<Graph>,
    /// How many parts have the same queries.
    columns: usize,
}

impl Partition {
    /// Divides a graph into at most so many parts. `None` if it cannot be divided.
    pub fn of(
        store: &mut Store,
        graph: &Graph,
        most: usize,
        by: PartitionBy,
        budget: &Budget,
    ) -> Option<Partition> {
        let queries = |store: &mut Store, most| divide(store, graph, queries_of(graph), most, budget);
        let facts = |store: &mut Store, most| divide(store, graph, facts_of(graph), most, budget);
        let (rows, columns) = match by {
            PartitionBy::Queries => (queries(store, most), Vec::new()),
            PartitionBy::Facts => (Vec::new(), facts(store, most)),
            PartitionBy::Either => {
                let rows = queries(store, most);
                let columns = if rows.len() > 1 { Vec::new() } else { facts(store, most) };
                (rows, columns)
            }
            PartitionBy::Both => {
                let columns = facts(store, most.isqrt().max(2));
                let rows = queries(store, most / columns.len().max(1));
                (rows, columns)
            }
        };
        let rows = if rows.len() > 1 { rows } else { vec![whole(graph, queries_of(graph))] };
        let columns = if columns.len() > 1 { columns } else { vec![whole(graph, facts_of(graph))] };
        if rows.len() * columns.len() < 2 {
            return None;
        }
        let cells = rows.iter().flat_map(|row| columns.iter().map(move |column| [row, column]));
        let parts = cells.map(|kept| part(graph, kept)).collect();
        Some(Partition { parts, columns: columns.len() })
    }

    /// The parts. Their vertices and edges have the ids that they have in the whole.
    pub fn parts(&self) -> &[Graph] {
        &self.parts
    }

    /// The interpretation of the whole that follows from those of all parts, in their order.
    ///
    /// # Panics
    /// If there are not as many interpretations as parts.
    pub fn interpretation(&self, store: &mut Store, parts: &[Interpretation]) -> Interpretation {
        assert_eq!(parts.len(), self.parts.len(), "an interpretation of each part");
        let mut whole = Interpretation::new();
        for vertex in self.parts[0].vertices() {
            let rows = parts.chunks(self.columns).map(|row| {
                let formulas: Vec<Term> =
                    row.iter().map(|own| own.get(vertex).unwrap_or(Term::TRUE)).collect();
                store.or(&formulas)
            });
            let rows: Vec<Term> = rows.collect();
            let formula = store.and(&rows);
            whole.insert(vertex, formula);
        }
        whole
    }
}

/// The edges to false, by the vertices that they come from.
fn queries_of(graph: &Graph) -> Vec<EdgeId> {
    let mut queries: Vec<EdgeId> = graph.incoming(VertexId::FALSE).collect();
    queries.sort_by_key(|&id| (graph.edge(id).sources.clone(), id));
    queries
}

/// The edges from true to vertices, by these; none if facts must not be divided.
fn facts_of(graph: &Graph) -> Vec<EdgeId> {
    if graph.edges().any(|(_, edge)| !edge.is_linear()) {
        return Vec::new();
    }
    let is_fact = |id: &EdgeId| {
        let edge = graph.edge(*id);
        edge.sources.is_empty() && edge.target != VertexId::FALSE
    };
    let mut facts: Vec<EdgeId> = graph.edges().map(|(id, _)| id).filter(is_fact).collect();
    facts.sort_by_key(|&id| (graph.edge(id).target, id));
    facts
}

/// All of these edges with their constraints.
fn whole(graph: &Graph, edges: Vec<EdgeId>) -> Group {
    edges.into_iter().map(|id| (id, graph.edge(id).label)).collect()
}

/// Divides edges into at most so many groups of about the same number, and constraints into cases where there are fewer
/// edges than groups.
fn divide(store: &mut Store, graph: &Graph, edges: Vec<EdgeId>, most: usize, budget: &Budget) -> Vec<Group> {
    let mut pieces: Vec<(EdgeId, Term)> = edges.iter().map(|&id| (id, graph.edge(id).label)).collect();
    let cases = Cases::new(store, graph);
    // Pieces are halved in turn, so that the cases of each edge make a tree that is as flat as can be.
    let mut at = 0;
    while pieces.len() < most && at < pieces.len() {
        let (id, label) = pieces[at];
        match cases.halve(store, graph, (id, label), budget) {
            Some([one, other]) => {
                pieces[at].1 = one;
                // Beside its other half, and after all that were not halved yet.
                pieces.push((id, other));
                let halved = pieces.remove(at);
                pieces.push(halved);
            }
            None => at += 1,
        }
    }
    // Cases of the same edge go side by side again.
    let place: BTreeMap<EdgeId, usize> = edges.iter().enumerate().map(|(at, &id)| (id, at)).collect();
    pieces.sort_by_key(|(id, _)| place[id]);
    let count = most.min(pieces.len()).max(1);
    let mut groups = vec![Group::new(); count.min(pieces.len())];
    let all = pieces.len();
    for (number, (id, label)) in pieces.into_iter().enumerate() {
        let label = match groups[number * count / all].get(&id) {
            Some(&before) => store.or2(before, label),
            None => label,
        };
        groups[number * count / all].insert(id, label);
    }
    groups
}

/// The graph with these queries and facts in place of its own.
fn part(graph: &Graph, kept: [&Group; 2]) -> Graph {
    let [queries, facts] = kept;
    let mut part = graph.clone();
    let are_divided = !facts.is_empty();
    for (id, edge) in graph.edges() {
        let is_query = edge.target == VertexId::FALSE;
        let group = match (is_query, edge.sources.is_empty() && are_divided) {
            (true, _) => queries,
            (false, true) => facts,
            (false, false) => continue,
        };
        match group.get(&id) {
            Some(&label) => part.set_label(id, label),
            None => drop(part.remove_edge(id)),
        }
    }
    part
}
