//! Counts become formulas: random labels with sums of conditionals, before and after, in many states.

use shem_base::{Budget, Rat, Rng, Statistics};
use shem_chc::{Edge, Graph, VertexId};
use shem_term::{Sort, Store, Symbol, Term, Value, View};
use shem_test_support::rounds;
use shem_transform::{FewValues, Pass, Work};

/// Variables, and the numbers and formulas made of them so far.
struct Terms {
    truths: Vec<Term>,
    reals: Vec<Term>,
    numbers: Vec<Term>,
    formulas: Vec<Term>,
}

impl Terms {
    fn new(store: &mut Store) -> Terms {
        let truths: Vec<Term> = (0..4).map(|i| store.variable(&format!("b{i}"), Sort::Bool)).collect();
        let reals: Vec<Term> = (0..2).map(|i| store.variable(&format!("x{i}"), Sort::Real)).collect();
        let numbers = (-1..=2).map(|value: i64| store.real(value)).collect();
        Terms { formulas: truths.clone(), truths, reals, numbers }
    }

    /// Adds a conditional, a sum, or a comparison; seldom one about a variable.
    fn grow(&mut self, store: &mut Store, rng: &mut Rng) {
        let [a, b] =
            [rng.index(self.numbers.len()), rng.index(self.numbers.len())].map(|at| self.numbers[at]);
        let condition = self.formulas[rng.index(self.formulas.len())].xor(rng.bool());
        match rng.below(8) {
            0..3 => self.numbers.push(store.ite(condition, a, b)),
            3 | 4 => {
                let terms = [(rng.range(-2..=2).into(), a), (rng.range(1..=2).into(), b)];
                self.numbers.push(store.linear(&terms, &rng.range(-1..=1).into(), Sort::Real));
            }
            5 => self.formulas.push(store.eq(a, b)),
            6 => self.formulas.push(if rng.bool() { store.le(a, b) } else { store.lt(a, b) }),
            _ => {
                let variable = self.reals[rng.index(self.reals.len())];
                self.formulas.push(store.lt(variable, a));
                if rng.chance(20) {
                    self.numbers.push(store.ite(condition, variable, a));
                }
            }
        }
    }
}

#[test]
fn labels_mean_the_same_and_counts_go() {
    let (mut changed, mut atoms) = (0, 0);
    for seed in 0..rounds(200) {
        let rng = &mut Rng::new(seed);
        let mut store = Store::new();
        let mut terms = Terms::new(&mut store);
        for _ in 0..30 {
            terms.grow(&mut store, rng);
        }
        let parts: Vec<Term> = (0..3).map(|_| terms.formulas[rng.index(terms.formulas.len())]).collect();
        let label = if rng.bool() { store.and(&parts) } else { store.or(&parts) };
        let mut graph = Graph::new();
        let id = graph.add_edge(&mut store, Edge { sources: vec![], target: VertexId::FALSE, label });
        let mut statistics = Statistics::new();
        FewValues.apply(Work::new(&mut store, &mut graph, &mut statistics, &mut Budget::unlimited()));
        let new = graph.edge(id).label;
        changed += u64::from(new != label);
        atoms += statistics.count("atoms");
        for state in 0..16 * 9 {
            let value = |symbol: Symbol| {
                let is = |&v: &Term| store.as_var(v) == Some(symbol);
                let truth = terms.truths.iter().position(is).map(|at| Value::Bool(state >> at & 1 == 1));
                let digits = [state / 16 % 3, state / 48];
                let number = |at: usize| Value::Num(Rat::from(digits[at]));
                truth.or_else(|| terms.reals.iter().position(is).map(number))
            };
            let [before, after] = [label, new].map(|formula| store.evaluate(formula, &value));
            assert!(before.is_some() && before == after, "seed {seed}, state {state}");
        }
    }
    assert!(changed > 20 && atoms > 20, "{changed} labels and {atoms} atoms were changed");
}

/// The majority of seven votes, each a comparison: nothing is left of the numbers.
#[test]
fn a_majority_is_a_formula_over_the_votes() {
    let mut store = Store::new();
    let votes: Vec<Term> = (0..7).map(|i| store.variable(&format!("vote{i}"), Sort::Bool)).collect();
    let (zero, one, four) = (store.int(0), store.int(1), store.int(4));
    let ballots: Vec<Term> = votes.iter().map(|&vote| store.ite(vote, one, zero)).collect();
    let sum = store.add(&ballots);
    let label = store.ge(sum, four);
    let mut graph = Graph::new();
    let id = graph.add_edge(&mut store, Edge { sources: vec![], target: VertexId::FALSE, label });
    FewValues.apply(Work::new(&mut store, &mut graph, &mut Statistics::new(), &mut Budget::unlimited()));
    let label = graph.edge(id).label;
    let is_number = |&term: &Term| matches!(store.view(term), View::Num(_) | View::Le(..) | View::Linear(..));
    assert!(!store.subterms(&[label]).iter().any(is_number));
    for state in 0..128_u32 {
        let value = |symbol: Symbol| {
            let at = votes.iter().position(|&v| store.as_var(v) == Some(symbol))?;
            Some(Value::Bool(state >> at & 1 == 1))
        };
        assert_eq!(store.evaluate(label, &value), Some(Value::Bool(state.count_ones() >= 4)));
    }
}
