//! Clauses about the bits of products and quotients: what is accepted holds at all values.

use shem_base::{BitVec, Lit, Rng, Var};
use shem_justify::{
    Gate, Meaning, NodeMeaning, NumberMeaning, Premises, RefutationError, Translation, check_refutation,
};
use shem_proof::{Origin, Proof, ProofLog, ProofSink};
use shem_term::{Sort, Store, Term, View};

/// Two words and an operation on them. The variables are the constant, the bits of all three, and comparisons.
struct Operation {
    width: u32,
    nodes: Vec<NodeMeaning>,
    gates: Vec<Gate>,
}

impl Translation for Operation {
    fn meaning(&self, var: Var) -> Meaning {
        let index = var.index() as u32;
        match index.checked_sub(1) {
            None => Meaning::Truth,
            Some(bit) if bit < 3 * self.width => Meaning::Bit(bit / self.width, bit % self.width),
            Some(other) => Meaning::Gate(self.gates[(other - 3 * self.width) as usize]),
        }
    }

    fn number(&self, _: u32) -> NumberMeaning {
        NumberMeaning::Free { integral: true }
    }

    fn node(&self, node: u32) -> NodeMeaning {
        self.nodes.get(node as usize).cloned().unwrap_or(NodeMeaning::Unknown)
    }
}

/// What is known of a literal by its variable: a bit of a word, or that a word is at most another one.
#[derive(Clone, Copy)]
enum Fact {
    Bit(usize, u32),
    AtMost(usize, usize),
}

struct Case {
    store: Store,
    operation: Operation,
    name: &'static str,
    facts: Vec<(Lit, Fact)>,
}

impl Case {
    fn new(name: &'static str, width: u32) -> Case {
        let mut store = Store::new();
        let sort = Sort::bit_vec(width).expect("a width");
        let [x, y] = ["x", "y"].map(|name| store.variable(name, sort));
        let result: Term = match name {
            "product" => store.bv_mul(&[x, y]),
            "quotient" => store.bv_udiv(x, y),
            _ => store.bv_urem(x, y),
        };
        let View::App(symbol, args) = store.view(result) else { panic!("{name} is an operation") };
        assert_eq!(args, [x, y]);
        let result = NodeMeaning::Application { symbol, args: vec![0, 1], number: None };
        let nodes = vec![NodeMeaning::Term(x), NodeMeaning::Term(y), result];
        let mut case = Case {
            store,
            operation: Operation { width, nodes, gates: Vec::new() },
            name,
            facts: (0..3)
                .flat_map(|word| (0..width).map(move |at| (word, at)))
                .map(|(word, at)| (Case::bit_of(width, word, at), Fact::Bit(word, at)))
                .collect(),
        };
        for [a, b] in [[1, 0], [1, 2], [2, 0], [0, 2]] {
            let lit = case.at_most(a, b);
            case.facts.push((lit, Fact::AtMost(a, b)));
        }
        case
    }

    fn bit_of(width: u32, word: usize, at: u32) -> Lit {
        Var::new(1 + word as u32 * width + at).positive()
    }

    fn bit(&self, word: usize, at: u32) -> Lit {
        Case::bit_of(self.operation.width, word, at)
    }

    fn gate(&mut self, gate: Gate) -> Lit {
        self.operation.gates.push(gate);
        Var::new(3 * self.operation.width + self.operation.gates.len() as u32).positive()
    }

    fn at_most(&mut self, a: usize, b: usize) -> Lit {
        let mut result = Var::new(0).positive();
        for at in 0..self.operation.width {
            let mut inputs = [!self.bit(a, at), self.bit(b, at), result];
            inputs.sort_unstable();
            result = self.gate(Gate::Majority(inputs));
        }
        result
    }

    fn value(&self, x: &BitVec, y: &BitVec) -> BitVec {
        match self.name {
            "product" => x.mul(y),
            "quotient" => x.udiv(y),
            _ => x.urem(y),
        }
    }

    fn is_valid(&self, clause: &[Lit]) -> bool {
        let width = self.operation.width;
        let numbers = || (0..1 << width).map(|number| BitVec::new(width, number));
        numbers().all(|x| {
            numbers().all(|y| {
                let words = [&x, &y, &self.value(&x, &y)];
                clause.iter().any(|lit| {
                    let (_, fact) =
                        self.facts.iter().find(|entry| entry.0.var() == lit.var()).expect("a fact");
                    let holds = match *fact {
                        Fact::Bit(word, at) => words[word].bit(at),
                        Fact::AtMost(a, b) => words[a] <= words[b],
                    };
                    holds == lit.is_positive()
                })
            })
        })
    }

    fn accepts(&mut self, clause: &[Lit]) -> bool {
        let mut log = ProofLog::new();
        let id = log.input(clause, Origin::Definition);
        let proof = Proof::extract(&log, id).expect("a proof");
        match check_refutation(&mut self.store, &proof, &self.operation, Premises::default()) {
            Err(RefutationError::Conclusion(_)) => true,
            Err(RefutationError::Unjustified(_)) => false,
            other => panic!("{other:?}"),
        }
    }
}

/// Random clauses of widths 1 to 4: those that are accepted hold, and many that hold are accepted.
#[test]
fn accepted_clauses_hold() {
    let mut rng = Rng::new(3);
    for name in ["product", "quotient", "remainder"] {
        for width in 1..=4 {
            let mut case = Case::new(name, width);
            let (mut accepted, mut refused) = (0, 0);
            for _ in 0..2_500 {
                let share = 15 + rng.below(60);
                let mut clause: Vec<Lit> = Vec::new();
                for at in 0..case.facts.len() {
                    let (lit, fact) = case.facts[at];
                    let share = if let Fact::AtMost(..) = fact { share / 4 } else { share };
                    if rng.chance(share) {
                        clause.push(lit.xor(rng.bool()));
                    }
                }
                if clause.is_empty() {
                    continue;
                }
                let found = case.accepts(&clause);
                accepted += usize::from(found);
                refused += usize::from(!found);
                assert!(!found || case.is_valid(&clause), "{name} of {width} bits: {clause:?}");
            }
            assert!(accepted > 100 && refused > 100, "{name} of {width} bits: {accepted} and {refused}");
        }
    }
}

/// The forms that a translation may use, and small changes of them.
#[test]
fn forms_of_clauses() {
    for width in 2..=5 {
        let top = width - 1;
        let mut product = Case::new("product", width);
        let [x, y, r] =
            [0, 1, 2].map(|word| (0..width).map(|at| product.bit(word, at)).collect::<Vec<Lit>>());
        let all = |word: &[Lit], number: u64| -> Vec<Lit> {
            word.iter().zip(0..).map(|(&bit, at)| bit.xor(number >> at & 1 == 1)).collect()
        };
        let with = |premise: Vec<Lit>, rest: &[Lit]| [premise, rest.to_vec()].concat();
        // Zeros at the ends, one, and a power of two.
        assert!(product.accepts(&[x[0], !r[0]]));
        assert!(!product.accepts(&[x[0], !r[1]]));
        assert!(product.accepts(&[x[0], y[0], !r[1]]));
        assert!(product.accepts(&with(all(&x, 1), &[!r[top as usize], y[top as usize]])));
        assert!(product.accepts(&with(all(&y, 2), &[r[1], !x[0]])));
        assert!(!product.accepts(&with(all(&y, 2), &[r[1], x[0]])));
        assert!(product.accepts(&with(all(&x, 0), &[!r[top as usize]])));
        // A premise as a gate.
        let zeros = product.gate(Gate::And([!x[0], !y[0]]));
        assert!(product.accepts(&[!zeros, !r[1]]));
        assert!(!product.accepts(&[zeros, !r[1]]));

        let mut quotient = Case::new("quotient", width);
        let fits = quotient.at_most(1, 0);
        assert!(quotient.accepts(&with(all(&y, 0), &[r[0]])));
        assert!(!quotient.accepts(&with(all(&y, 0), &[!r[0]])));
        assert!(quotient.accepts(&with(all(&y, 1), &[!r[0], x[0]])));
        assert!(quotient.accepts(&[fits, !r[0]]));
        assert!(!quotient.accepts(&[!fits, !r[0]]));
        assert!(quotient.accepts(&with(r.clone(), &[!fits])));
        let is_small = quotient.at_most(2, 0);
        assert!(quotient.accepts(&[!y[0], is_small]));
        assert!(!quotient.accepts(&[is_small]));
        assert!(quotient.accepts(&[!y[1], !r[top as usize]]));
        assert!(width == 2 || !quotient.accepts(&[!y[1], !r[top as usize - 1]]));

        let mut remainder = Case::new("remainder", width);
        let [fits, is_too_large, is_small] = [[1, 0], [1, 2], [2, 0]].map(|[a, b]| remainder.at_most(a, b));
        assert!(remainder.accepts(&with(all(&y, 0), &[!r[0], x[0]])));
        assert!(remainder.accepts(&with(all(&y, 2), &[!r[1]])));
        assert!(remainder.accepts(&[fits, r[1], !x[1]]));
        assert!(remainder.accepts(&[!y[0], !is_too_large]));
        assert!(!remainder.accepts(&[!is_too_large]));
        assert!(remainder.accepts(&[is_small]));
        assert!(!remainder.accepts(&[!is_small]));
    }
}
