//! Systems and witnesses in few words, for tests.

use shem_chc::{
    Atom, Clause, ClauseId, Definition, Derivation, Model, Predicate, PredicateId, StepId, System,
};
use shem_term::smtlib::{Lexer, Reader, Span};
use shem_term::{Sort, Store, Term, Value};

/// A store with a system in it.
#[derive(Debug)]
pub struct Case {
    /// The store of its terms.
    pub store: Store,
    /// The system.
    pub system: System,
}

fn sort(word: &str) -> Sort {
    match word {
        "Bool" => Sort::Bool,
        "Int" => Sort::Int,
        "Real" => Sort::Real,
        _ => panic!("{word} is no sort"),
    }
}

/// A reader that knows these variables, given as words `name Sort name Sort …`, and the variables.
fn reader(store: &mut Store, variables: &str) -> (Reader, Vec<Term>) {
    let mut reader = Reader::new();
    let words: Vec<&str> = variables.split_whitespace().collect();
    let mut terms = Vec::new();
    for pair in words.chunks(2) {
        let text = format!("(declare-const {} {})", pair[0], pair[1]);
        reader.next_command(&mut Lexer::new(&text).unwrap(), store).unwrap();
        terms.push(reader.read_term(&mut Lexer::new(pair[0]).unwrap(), store).unwrap());
    }
    (reader, terms)
}

impl Case {
    /// Predicates as `name Sort Sort …`.
    pub fn new(predicates: &[&str]) -> Case {
        let mut store = Store::new();
        let mut system = System::default();
        for line in predicates {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap();
            let sorts: Box<[Sort]> = words.map(sort).collect();
            let symbol = store.declare(name, &sorts, Sort::Bool);
            system.predicates.push(Predicate { symbol, name: name.into(), sorts });
        }
        Case { store, system }
    }

    /// Adds a clause. Atoms are `name; argument; argument …`; the head may be `false`.
    pub fn clause(mut self, variables: &str, body: &[&str], constraint: &str, head: &str) -> Case {
        let (mut reader, variables) = reader(&mut self.store, variables);
        let store = &mut self.store;
        let mut term = |text: &str| reader.read_term(&mut Lexer::new(text).unwrap(), store).unwrap();
        let constraint = term(constraint);
        let predicates = &self.system.predicates;
        let mut atom = |text: &str| {
            let mut parts = text.split(';').map(str::trim);
            let name = parts.next().unwrap();
            let predicate = predicates.iter().position(|p| &*p.name == name).unwrap();
            Atom { predicate: PredicateId::new(predicate), args: parts.map(&mut term).collect() }
        };
        let body = body.iter().map(|text| atom(text)).collect();
        let head = (head != "false").then(|| atom(head));
        let (variables, premises, span) = (variables.into(), Box::default(), Span::new(0, 0));
        self.system.clauses.push(Clause { variables, constraint, body, premises, head, span });
        self
    }

    /// A definition over these parameters.
    pub fn definition(&mut self, parameters: &str, body: &str) -> Definition {
        let (mut reader, parameters) = reader(&mut self.store, parameters);
        let body = reader.read_term(&mut Lexer::new(body).unwrap(), &mut self.store).unwrap();
        Definition { parameters: parameters.into(), body }
    }

    /// Terms over these parameters.
    pub fn terms(&mut self, parameters: &str, texts: &[&str]) -> (Vec<Term>, Vec<Term>) {
        let (mut reader, parameters) = reader(&mut self.store, parameters);
        let mut read =
            |text: &&str| reader.read_term(&mut Lexer::new(text).unwrap(), &mut self.store).unwrap();
        let terms = texts.iter().map(&mut read).collect();
        (parameters, terms)
    }

    /// A model of these definitions.
    pub fn model(&mut self, definitions: &[(&str, &str)]) -> Model {
        Model { definitions: definitions.iter().map(|(p, b)| self.definition(p, b)).collect() }
    }
}

/// A step in words: rule, premises, values.
pub type Row = (usize, Vec<usize>, Vec<Value>);

/// A number.
pub fn num(n: i64) -> Value {
    Value::Num(n.into())
}

/// The derivation of these steps.
pub fn derivation(rows: &[Row]) -> Derivation<ClauseId> {
    let mut derivation = Derivation::new();
    for (rule, premises, values) in rows {
        let premises: Vec<StepId> = premises.iter().map(|&p| StepId::new(p)).collect();
        derivation.push(ClauseId::new(*rule), &premises, values.iter().cloned());
    }
    derivation
}
