//! Models: an interpretation of every predicate under which all clauses hold.

use shem_term::{Sort, Store, Term, Value};

use crate::graph::{Graph, VertexId};
use crate::system::PredicateId;

/// What vertices of a graph stand for: for each a formula over its state variables
/// ([`Vertex::state`](crate::Vertex::state)). A vertex without an entry stands for truth if it cannot matter;
/// ask [`Interpretation::get`].
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    formulas: Vec<Option<Term>>,
    /// Whether edges to false are left out.
    without_queries: bool,
}

impl Interpretation {
    /// An interpretation without entries.
    pub fn new() -> Interpretation {
        Interpretation::default()
    }

    /// The same for a graph whose edges to false are left out: an interpretation that is closed under the other
    /// edges goes back through passes as one that is safe does.
    pub fn without_queries(mut self) -> Interpretation {
        self.without_queries = true;
        self
    }

    /// Sets the formula of a vertex, over its state variables.
    pub fn insert(&mut self, vertex: VertexId, formula: Term) {
        if self.formulas.len() <= vertex.index() {
            self.formulas.resize(vertex.index() + 1, None);
        }
        self.formulas[vertex.index()] = Some(formula);
    }

    /// The formula of a vertex; false for the vertex false, unless queries are left out.
    pub fn get(&self, vertex: VertexId) -> Option<Term> {
        if vertex == VertexId::FALSE {
            return Some(if self.without_queries { Term::TRUE } else { Term::FALSE });
        }
        self.formulas.get(vertex.index()).copied().flatten()
    }

    /// The formula of a vertex about these terms.
    ///
    /// # Panics
    /// If the vertex has no entry.
    pub fn apply(&self, store: &mut Store, graph: &Graph, vertex: VertexId, args: &[Term]) -> Term {
        let formula = self.get(vertex).expect("an interpretation of the vertex");
        store.rename(formula, graph.vertex(vertex).state(), args)
    }
}

/// The definition of a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Variables for the arguments, each once.
    pub parameters: Box<[Term]>,
    /// A formula without predicates over the parameters, perhaps with quantifiers.
    pub body: Term,
}

/// The witness of safety: a definition for every predicate of a system, by [`PredicateId`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// One definition for each predicate, in the order of declaration.
    pub definitions: Vec<Definition>,
}

impl Model {
    /// The definition of a predicate.
    pub fn definition(&self, predicate: PredicateId) -> &Definition {
        &self.definitions[predicate.index()]
    }

    /// What the model says of a predicate about these terms: a formula without predicates.
    ///
    /// # Panics
    /// If there is not one term for each parameter, of its sort.
    pub fn apply(&self, store: &mut Store, predicate: PredicateId, args: &[Term]) -> Term {
        let Definition { parameters, body } = self.definition(predicate);
        let sorts = |terms: &[Term]| terms.iter().map(|&term| store.sort(term)).collect::<Vec<Sort>>();
        assert_eq!(sorts(parameters), sorts(args), "one term for each parameter, of its sort");
        store.rename(*body, parameters, args)
    }

    /// Whether a predicate holds of these values; `None` if there is not one for each parameter, of its sort, or if it
    /// depends on a quantifier.
    pub fn holds(&self, store: &Store, predicate: PredicateId, values: &[Value]) -> Option<bool> {
        let Definition { parameters, body } = self.definition(predicate);
        let fits = |(&parameter, value): (&Term, &Value)| store.is_value(value, store.sort(parameter));
        if parameters.len() != values.len() || !parameters.iter().zip(values).all(fits) {
            return None;
        }
        let value = |symbol| {
            let at = parameters.iter().position(|&parameter| store.as_var(parameter) == Some(symbol));
            at.map(|at| values[at].clone())
        };
        store.evaluate(*body, &value)?.as_bool()
    }

    /// The model that an interpretation of the graph as [normalised](crate::normalise) gives. A vertex
    /// without an entry gets truth.
    pub fn of(graph: &Graph, interpretation: &Interpretation, predicates: usize) -> Model {
        let definition = |i| {
            let vertex = VertexId::of(PredicateId::new(i));
            let parameters = graph.vertex(vertex).state().into();
            Definition { parameters, body: interpretation.get(vertex).unwrap_or(Term::TRUE) }
        };
        Model { definitions: (0..predicates).map(definition).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_applied_to_terms_and_values() {
        let mut store = Store::new();
        let (x, b) = (store.variable("x", Sort::Int), store.variable("b", Sort::Bool));
        let three = store.int(3);
        let small = store.le(x, three);
        let definition = Definition { parameters: [x, b].into(), body: store.and2(small, b) };
        let (p, model) = (PredicateId::new(0), Model { definitions: vec![definition] });
        let five = store.int(5);
        assert_eq!(model.apply(&mut store, p, &[five, b]), Term::FALSE);
        assert_eq!(model.apply(&mut store, p, &[three, Term::TRUE]), Term::TRUE);
        let number = |number: i64| Value::Num(number.into());
        let half = Value::Num(shem_base::Rat::new(1, 2));
        let holds = |values: &[Value]| model.holds(&store, p, values);
        assert_eq!(holds(&[number(3), Value::Bool(true)]), Some(true));
        assert_eq!(holds(&[number(4), Value::Bool(true)]), Some(false));
        assert_eq!(holds(&[number(3), number(1)]), None);
        assert_eq!(holds(&[half, Value::Bool(true)]), None);
        assert_eq!(holds(&[number(3)]), None);
    }
}
