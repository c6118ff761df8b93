//! What is observed of the states of a vertex: coordinates, atoms, forms.
//!
//! *Coordinates* are the numeric arguments, and quotients and remainders that the program computes: with them as
//! coordinates of their own, "y counts the steps in which x mod 10 is less than 5" is a linear equality. *Atoms* make
//! the phase. *Forms* are what bounds are kept of: coordinates, sums and differences of two, the left-hand sides of the
//! program's comparisons, and whatever else was found worth it.

use std::collections::BTreeSet;

use shem_base::{Int, Rat};
use shem_chc::{Graph, Positions, VertexId};
use shem_term::{Evaluator, Sort, Store, Term, Value, View};
use shem_transform::domain::{Form, Thresholds, normal_form, value_of};

use super::program::{Program, push_new};

/// Which atoms hold.
pub(super) type Phase = Vec<bool>;

/// The greatest number of sums and differences of two coordinates.
const MAX_PAIRS: usize = 60;
/// The greatest number of program's numbers that serve as thresholds.
const MAX_NUMBERS: usize = 40;
/// The greatest number of them that are added to each other.
const MAX_SUMMANDS: usize = 12;

/// What is observed of the states of a vertex.
pub(super) struct Features {
    pub(super) vertex: VertexId,
    pub(super) state: Vec<Term>,
    pub(super) positions: Positions,
    pub(super) coordinates: Vec<Term>,
    coordinate_values: Vec<Evaluator>,
    /// The coordinates that are integers.
    pub(super) integers: Vec<usize>,
    pub(super) atoms: Vec<Term>,
    atom_values: Vec<Evaluator>,
    pub(super) forms: Vec<Form>,
    /// The numbers of the edges around the vertex, sorted.
    numbers: Vec<Rat>,
    /// Numbers at which the bounds of forms may stop.
    pub(super) thresholds: Thresholds,
}

/// The features of one state.
pub(super) struct Observation {
    pub(super) phase: Phase,
    pub(super) point: Vec<Rat>,
}

impl Features {
    /// The features of the states of a vertex, with at most this many atoms; with sums and differences of coordinates
    /// if asked for.
    pub(super) fn new(
        store: &mut Store,
        graph: &Graph,
        vertex: VertexId,
        programs: &[Program],
        max_atoms: usize,
        has_pairs: bool,
    ) -> Features {
        let state = graph.vertex(vertex).state().to_vec();
        let is_number = |store: &Store, term: Term| matches!(store.sort(term), Sort::Int | Sort::Real);
        let mut coordinates: Vec<Term> = state.iter().copied().filter(|&v| is_number(store, v)).collect();
        let numeric = coordinates.len();
        let own = |program: &&Program| program.source == Some(vertex);
        for program in programs.iter().filter(own) {
            for &term in &program.remainders {
                push_new(&mut coordinates, term);
            }
        }
        coordinates.truncate(numeric + MAX_PAIRS);
        let mut features = Features {
            vertex,
            positions: Positions::new(store, &state),
            state,
            coordinate_values: Vec::new(),
            integers: Vec::new(),
            atoms: Vec::new(),
            atom_values: Vec::new(),
            forms: Vec::new(),
            numbers: Vec::new(),
            thresholds: Thresholds::default(),
            coordinates,
        };
        features.coordinate_values = features.coordinates.iter().map(|&c| Evaluator::new(store, c)).collect();
        features.integers = (0..features.coordinates.len())
            .filter(|&c| store.sort(features.coordinates[c]) == Sort::Int)
            .collect();
        // What leads to false decides first.
        let (queries, others): (Vec<&Program>, Vec<&Program>) =
            programs.iter().filter(own).partition(|program| program.target == VertexId::FALSE);
        for program in queries.iter().chain(&others) {
            for &atom in &program.decisions {
                features.add_atom(store, atom, max_atoms);
            }
        }
        let joined = |program: &Program| {
            let own = program.single_decisions.iter().filter(|(source, _)| *source == vertex);
            own.map(|(_, atom)| *atom).collect::<Vec<Term>>()
        };
        for atom in programs.iter().flat_map(joined) {
            features.add_atom(store, atom, max_atoms);
            features.add_form_of(store, atom);
        }
        let booleans: Vec<Term> =
            features.state.iter().copied().filter(|&v| store.sort(v) == Sort::Bool).collect();
        for variable in booleans {
            features.add_atom(store, variable, max_atoms);
        }
        features.add_plain_forms(if has_pairs { numeric } else { 0 });
        for program in programs {
            let atoms = if program.source == Some(vertex) { &program.decisions } else { &program.results };
            if program.source == Some(vertex) || program.target == vertex {
                for &atom in atoms {
                    features.add_form_of(store, atom);
                }
            }
        }
        features.add_thresholds(programs);
        features
    }

    /// Makes an atom part of the phase; an equation as two comparisons.
    pub(super) fn add_atom(&mut self, store: &mut Store, atom: Term, max_atoms: usize) {
        let parts = match store.view(atom) {
            View::Eq(poly, value) => {
                let value = value.clone();
                vec![store.poly_le(poly, &value), store.poly_lt(poly, &value)]
            }
            _ => vec![atom],
        };
        for part in parts {
            let part = part.positive();
            if self.atoms.len() < max_atoms && !self.atoms.contains(&part) && !part.is_truth_constant() {
                self.atoms.push(part);
                self.atom_values.push(Evaluator::new(store, part));
            }
        }
    }

    /// Has bounds kept of a form.
    pub(super) fn add_form(&mut self, form: Form) {
        if let Some(form) = normal_form(form) {
            push_new(&mut self.forms, form);
        }
    }

    fn add_plain_forms(&mut self, numeric: usize) {
        for a in 0..self.coordinates.len() {
            self.add_form(vec![(a, Int::ONE)]);
        }
        let mut pairs = 0;
        for b in 1..numeric {
            for a in 0..b {
                if pairs < MAX_PAIRS {
                    pairs += 1;
                    self.add_form(vec![(a, Int::ONE), (b, Int::MINUS_ONE)]);
                    self.add_form(vec![(a, Int::ONE), (b, Int::ONE)]);
                }
            }
        }
    }

    /// Has bounds kept of the form of a comparison.
    pub(super) fn add_form_of(&mut self, store: &Store, atom: Term) {
        if let Some(form) = self.form_of(store, atom) {
            self.add_form(form);
        }
    }

    /// The form of a comparison.
    fn form_of(&self, store: &Store, atom: Term) -> Option<Form> {
        let (View::Le(poly, _) | View::Lt(poly, _) | View::Eq(poly, _)) = store.view(atom) else {
            return None;
        };
        let mut form = Form::new();
        for term in store.poly_terms(poly) {
            let at = self.coordinates.iter().position(|&coordinate| coordinate == term.leaf)?;
            form.push((at, term.coeff.clone()));
        }
        Some(form)
    }

    /// Lets bounds stop at the numbers of the edges around the vertex and next to them.
    fn add_thresholds(&mut self, programs: &[Program]) {
        let mut numbers: BTreeSet<Rat> = BTreeSet::from([Rat::ZERO]);
        for program in programs {
            if program.has_source(self.vertex) || program.target == self.vertex {
                numbers.extend(program.numbers.iter().take(MAX_NUMBERS).cloned());
            }
        }
        self.numbers = numbers.into_iter().collect();
        self.thresholds = Thresholds::around(&self.numbers);
    }

    /// Lets bounds stop at sums and differences of two of these numbers, too.
    pub(super) fn add_sums(&mut self) {
        let numbers = &self.numbers[..self.numbers.len().min(MAX_SUMMANDS)];
        for a in numbers {
            for b in numbers {
                self.thresholds.add(a + b);
                self.thresholds.add(a - b);
            }
        }
    }

    /// The features of a state; `None` if something has no value.
    pub(super) fn observe(&mut self, store: &Store, state: &[Value]) -> Option<Observation> {
        let assignment = self.positions.assign(state);
        let mut phase = Vec::with_capacity(self.atoms.len());
        for atom in &mut self.atom_values {
            phase.push(atom.evaluate(store, &assignment)?.as_bool()?);
        }
        let mut point = Vec::with_capacity(self.coordinates.len());
        for coordinate in &mut self.coordinate_values {
            point.push(coordinate.evaluate(store, &assignment)?.as_num()?.clone());
        }
        Some(Observation { phase, point })
    }

    /// The formula of a phase.
    pub(super) fn cube(&self, store: &mut Store, phase: &Phase) -> Term {
        let literals: Vec<Term> =
            self.atoms.iter().zip(phase).map(|(&atom, &holds)| atom.xor(!holds)).collect();
        store.and(&literals)
    }
}

/// The value of a form at a point.
pub(super) fn value(form: &Form, point: &[Rat]) -> Rat {
    value_of(form, |at| Some(&point[at])).expect("all coordinates have values")
}
