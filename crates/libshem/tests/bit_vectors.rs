//! Random systems over bit-vectors of a few bits, beside a search through all states. With `SHEM_SYSTEMS=N` there are more
//! of them, and `SHEM_SEED=N` makes others.

use std::collections::BTreeSet;
use std::time::Duration;

use libshem::{Checked, Options, Problem, Registry, Theories, Verdict};
use shem_base::Rng;
use shem_test_support::bits::{BitTerm, BitTerms};

/// A system with one predicate: an initial state, commands and bad states.
struct BitSystem {
    widths: Vec<u32>,
    initial: Vec<u128>,
    /// A guard, and the next state.
    commands: Vec<(BitTerm, Vec<BitTerm>)>,
    bad: BitTerm,
}

impl BitSystem {
    fn random(rng: &mut Rng) -> BitSystem {
        let widths: Vec<u32> = match rng.below(4) {
            0 => vec![1 + rng.below(3) as u32, 1 + rng.below(3) as u32],
            1 => vec![4],
            2 => vec![3, 3],
            _ => vec![2, 4],
        };
        let initial = widths.iter().map(|&width| u128::from(rng.below(1 << width))).collect();
        let mut terms = BitTerms { rng, variables: widths.clone(), widest: 6 };
        let mut commands = Vec::new();
        for _ in 0..1 + terms.rng.below(2) {
            let next = widths.iter().map(|&width| terms.term(width, 1)).collect();
            commands.push((terms.formula(1), next));
        }
        let bad = terms.formula(2);
        BitSystem { widths, initial, commands, bad }
    }

    fn text(&self) -> String {
        let names: Vec<String> = (0..self.widths.len()).map(|at| format!("x{at}")).collect();
        let sorts: Vec<String> = self.widths.iter().map(|width| format!("(_ BitVec {width})")).collect();
        let bound: Vec<String> =
            names.iter().zip(&sorts).map(|(name, sort)| format!("({name} {sort})")).collect();
        let (bound, state) = (bound.join(" "), names.join(" "));
        let numbers = self.initial.iter().zip(&self.widths);
        let initial: Vec<String> = numbers.map(|(number, width)| format!("(_ bv{number} {width})")).collect();
        let mut text = format!(
            "(set-logic HORN)\n(declare-fun p ({}) Bool)\n(assert (p {}))\n",
            sorts.join(" "),
            initial.join(" ")
        );
        for (guard, next) in &self.commands {
            let next: Vec<String> = next.iter().map(BitTerm::to_string).collect();
            let next = next.join(" ");
            text += &format!("(assert (forall ({bound}) (=> (and (p {state}) {guard}) (p {next}))))\n");
        }
        text + &format!("(assert (forall ({bound}) (=> (and (p {state}) {}) false)))\n", self.bad)
    }

    /// Whether no bad state is reached.
    fn is_safe(&self) -> bool {
        let mut found = BTreeSet::from([self.initial.clone()]);
        let mut open = vec![self.initial.clone()];
        while let Some(state) = open.pop() {
            if self.bad.value(&state) == 1 {
                return false;
            }
            for (guard, next) in &self.commands {
                let next: Vec<u128> = next.iter().map(|term| term.value(&state)).collect();
                if guard.value(&state) == 1 && found.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
        true
    }
}

/// A number from the environment.
fn from_environment(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// Every answer is the right one, whoever gives it, with and without the passes that decide much; engines see integers that
/// wrap around, integers that do not, or bits.
#[test]
fn answers_are_those_of_an_exhaustive_search() {
    let count = from_environment("SHEM_SYSTEMS", 120);
    let mut rng = Rng::new(from_environment("SHEM_SEED", 30) as u64);
    let registry = Registry::standard();
    let names: Vec<&str> = registry.names().collect();
    let (mut asked, mut decided, mut checked, mut abstracted) = (count, 0, 0, 0);
    for number in 0..count {
        let system = BitSystem::random(&mut rng);
        let text = system.text();
        let mut is_abstracted = false;
        let mut options = match names.get(number % (names.len() + 1)) {
            Some(name) => Options::by_engine(name).expect("a name of the registry"),
            None => Options::default(),
        };
        options.limits.time = Some(Duration::from_secs(2));
        if let Some(engine) = options
            .engine
            .as_mut()
            .filter(|engine| engine.description().theories != Theories::Bits && rng.chance(30))
        {
            engine.set("abstraction", "no-wraps").expect("a setting of every engine");
            is_abstracted = true;
        }
        for pass in ["equalities", "invariants", "few-values", "inline", "int-blast"] {
            if rng.chance(if pass == "int-blast" { 20 } else { 50 }) {
                options.disabled_passes.disable(pass).expect("the name of a pass");
            }
        }
        let mut problem = Problem::parse(&text).unwrap_or_else(|error| panic!("{text}{error}"));
        let answer = problem.solve(&options).unwrap_or_else(|fault| panic!("{text}{fault}"));
        let expected = match answer.verdict {
            // There may be nothing to abstract.
            Verdict::Unknown(_) => {
                asked -= usize::from(is_abstracted);
                continue;
            }
            Verdict::Sat(_) => true,
            Verdict::Unsat(_) => false,
        };
        abstracted += usize::from(is_abstracted);
        assert_eq!(system.is_safe(), expected, "{} on\n{text}", answer.engine);
        decided += 1;
        checked += usize::from(answer.checked != Checked::Nothing);
    }
    assert!(
        decided * 10 >= asked * 7 && checked * 10 >= decided * 9 && abstracted * 20 >= count,
        "{decided} of {asked}, {checked} checked, {abstracted} abstracted"
    );
}

/// Conjunctions and disjunctions of atoms.
enum Formula {
    Atom(BitTerm),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

impl Formula {
    fn random(terms: &mut BitTerms<'_>, depth: u32) -> Formula {
        if depth == 0 || terms.rng.chance(20) {
            let count = terms.variables.len() / 2;
            // Half of the atoms give a variable of the next state a value.
            if terms.rng.chance(50) {
                let next = count + terms.rng.index(count);
                let width = terms.variables[next];
                let sides = vec![BitTerm::variable(next, width), terms.term(width, 1)];
                return Formula::Atom(BitTerm::apply("=", &[], sides, None));
            }
            return Formula::Atom(terms.formula(1));
        }
        let parts = (0..2 + terms.rng.below(2)).map(|_| Formula::random(terms, depth - 1)).collect();
        if terms.rng.chance(50) { Formula::All(parts) } else { Formula::Any(parts) }
    }

    fn text(&self) -> String {
        let (word, parts) = match self {
            Formula::Atom(atom) => return atom.to_string(),
            Formula::All(parts) => ("and", parts),
            Formula::Any(parts) => ("or", parts),
        };
        format!("({word} {})", parts.iter().map(Formula::text).collect::<Vec<_>>().join(" "))
    }

    fn holds(&self, values: &[u128]) -> bool {
        match self {
            Formula::Atom(atom) => atom.value(values) == 1,
            Formula::All(parts) => parts.iter().all(|part| part.holds(values)),
            Formula::Any(parts) => parts.iter().any(|part| part.holds(values)),
        }
    }
}

/// A system whose initial states and steps are formulas.
struct Relation {
    widths: Vec<u32>,
    initial: BitTerm,
    /// Over a state and the next one.
    steps: Vec<Formula>,
    bad: BitTerm,
}

impl Relation {
    fn random(rng: &mut Rng) -> Relation {
        let widths = match rng.below(4) {
            0 => vec![1, 1, 1],
            1 => vec![1, 2],
            2 => vec![2, 2],
            _ => vec![4],
        };
        let mut terms = BitTerms { rng, variables: widths.clone(), widest: 4 };
        let (initial, bad) = (terms.formula(2), terms.formula(2));
        terms.variables = [&widths[..], &widths[..]].concat();
        let steps = (0..1 + terms.rng.below(2)).map(|_| Formula::random(&mut terms, 2)).collect();
        Relation { widths, initial, steps, bad }
    }

    fn text(&self) -> String {
        let count = self.widths.len();
        let name = |at: usize| format!("x{at}");
        let names = |from: usize| (from..from + count).map(name).collect::<Vec<_>>().join(" ");
        let sort = |width: &u32| format!("(_ BitVec {width})");
        let sorts: Vec<String> = self.widths.iter().map(sort).collect();
        let bound = |from: usize| {
            let pairs = sorts.iter().enumerate().map(|(at, sort)| format!("({} {sort})", name(from + at)));
            pairs.collect::<Vec<_>>().join(" ")
        };
        let (state, next) = (names(0), names(count));
        let mut text = format!("(set-logic HORN)\n(declare-fun p ({}) Bool)\n", sorts.join(" "));
        text += &format!("(assert (forall ({}) (=> {} (p {state}))))\n", bound(0), self.initial);
        for step in &self.steps {
            let all = [bound(0), bound(count)].join(" ");
            text += &format!("(assert (forall ({all}) (=> (and (p {state}) {}) (p {next}))))\n", step.text());
        }
        text + &format!("(assert (forall ({}) (=> (and (p {state}) {}) false)))\n", bound(0), self.bad)
    }

    /// All states.
    fn states(&self) -> Vec<Vec<u128>> {
        self.widths.iter().fold(vec![Vec::new()], |states, &width| {
            let extended =
                |state: &Vec<u128>| (0..1 << width).map(|value| [&state[..], &[value]].concat()).collect();
            states.iter().flat_map(|state| -> Vec<Vec<u128>> { extended(state) }).collect()
        })
    }

    /// Whether no bad state is reached.
    fn is_safe(&self) -> bool {
        let states = self.states();
        let mut open: Vec<Vec<u128>> =
            states.iter().filter(|state| self.initial.value(state) == 1).cloned().collect();
        let mut found: BTreeSet<Vec<u128>> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            if self.bad.value(&state) == 1 {
                return false;
            }
            for next in &states {
                let pair = [&state[..], &next[..]].concat();
                if self.steps.iter().any(|step| step.holds(&pair)) && found.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        true
    }
}

/// The engine for finitely many states decides all of them, whatever the relation, and its witnesses are accepted.
#[test]
fn relations_are_decided_bit_by_bit() {
    let count = from_environment("SHEM_SYSTEMS", 120);
    let mut rng = Rng::new(from_environment("SHEM_SEED", 30) as u64 + 1);
    let mut answers = [0, 0];
    for _ in 0..count {
        let system = Relation::random(&mut rng);
        let text = system.text();
        let mut options = Options::by_engine("ic3").expect("a name of the registry");
        for pass in ["infeasible", "few-values", "inline", "simplify", "direct", "contract"] {
            if rng.chance(50) {
                options.disabled_passes.disable(pass).expect("the name of a pass");
            }
        }
        let mut problem = Problem::parse(&text).unwrap_or_else(|error| panic!("{text}{error}"));
        let answer = problem.solve(&options).unwrap_or_else(|fault| panic!("{text}{fault}"));
        let is_safe = match answer.verdict {
            Verdict::Sat(_) => true,
            Verdict::Unsat(_) => false,
            Verdict::Unknown(reason) => panic!("{text}{reason}"),
        };
        assert_eq!(system.is_safe(), is_safe, "{text}");
        assert!(answer.checked != Checked::Nothing, "{text}");
        answers[usize::from(answer.engine == "ic3")] += 1;
        // A path without a state twice is not longer than there are states.
        let mut options = Options::by_engine("bit-bmc").expect("a name of the registry");
        let engine = options.engine.as_mut().expect("an engine was chosen");
        engine.set("bit-bmc.max-depth", "16").expect("a setting of the engine");
        let answer = problem.solve(&options).unwrap_or_else(|fault| panic!("{text}{fault}"));
        match answer.verdict {
            Verdict::Sat(_) => assert!(is_safe && answer.checked != Checked::Nothing, "{text}"),
            Verdict::Unsat(_) => assert!(!is_safe && answer.checked != Checked::Nothing, "{text}"),
            Verdict::Unknown(reason) => assert!(is_safe, "{text}{reason}"),
        }
    }
    assert!(answers[1] * 4 >= count, "the engine was asked {} times", answers[1]);
}
