//! The clauses of an assertion mean what the assertion means.
//!
//! Random formulas over Boolean variables and predicates of Booleans are small enough to be decided by trying
//! everything: under random tables for the predicates, the formula, evaluated as it was made up, is true if and
//! only if all clauses that were read are. Formulas that are not Horn are refused and say nothing.

use shem_base::{Rng, StopToken};
use shem_chc::{Atom, Clause, Script, System, write_system};
use shem_term::smtlib::ErrorKind;
use shem_term::{Store, Substitution, Symbol, Term, Value, View};

/// A formula; variables are numbered.
#[derive(Clone, Debug)]
enum Formula {
    Variable(usize),
    /// A predicate of two, one or no arguments, applied.
    Predicate(usize, Vec<Formula>),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Iff(Box<Formula>, Box<Formula>),
    Ite(Box<Formula>, Box<Formula>, Box<Formula>),
    Forall(Vec<usize>, Box<Formula>),
    Exists(Vec<usize>, Box<Formula>),
    /// `let` of the first formula in the second, where it is the variable.
    Let(usize, Box<Formula>, Box<Formula>),
    /// A use of the macro with this number.
    Macro(usize, Box<Formula>),
}

use Formula::{And, Exists, Forall, Iff, Implies, Ite, Let, Macro, Not, Or, Predicate, Variable};

const ARITIES: [usize; 4] = [2, 1, 1, 0];
const NAMES: [&str; 4] = ["p", "q", "r", "s"];
const MACROS: &str = "(define-fun m0 ((a Bool)) Bool (forall ((b Bool)) (=> (and (p a b) b) (q a))))
    (define-fun m1 ((a Bool)) Bool (exists ((b Bool)) (and (p b a) (q b))))
    (define-fun m2 ((a Bool)) Bool (exists ((b Bool)) (and a (p b b))))\n";

fn macro_body(which: usize, a: usize, b: usize) -> Formula {
    let p = |x, y| Predicate(0, vec![Variable(x), Variable(y)]);
    let q = |x| Predicate(1, vec![Variable(x)]);
    match which {
        0 => Forall(vec![b], Box::new(Implies(Box::new(And(vec![p(a, b), Variable(b)])), Box::new(q(a))))),
        1 => Exists(vec![b], Box::new(And(vec![p(b, a), q(b)]))),
        _ => Exists(vec![b], Box::new(And(vec![Variable(a), p(b, b)]))),
    }
}

struct Maker {
    rng: Rng,
    next: usize,
    scope: Vec<usize>,
}

impl Maker {
    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    fn argument(&mut self) -> Formula {
        match self.rng.below(8) {
            0 if self.scope.len() > 1 => And(vec![self.variable(), Not(Box::new(self.variable()))]),
            1 => Not(Box::new(self.variable())),
            _ => self.variable(),
        }
    }

    fn variable(&mut self) -> Formula {
        if self.scope.is_empty() {
            // A truth: all variables are bound.
            return Or(vec![Predicate(3, vec![]), Not(Box::new(Predicate(3, vec![])))]);
        }
        Variable(*self.rng.pick(&self.scope))
    }

    fn atom(&mut self) -> Formula {
        let which = self.rng.index(ARITIES.len());
        if self.scope.is_empty() {
            return Predicate(3, vec![]);
        }
        Predicate(which, (0..ARITIES[which]).map(|_| self.argument()).collect())
    }

    /// A formula in a place where a predicate would be the head (`head`) or in the body.
    fn formula(&mut self, depth: usize, head: bool) -> Formula {
        if depth == 0 {
            let plain = self.rng.below(if head { 3 } else { 2 }) > 0;
            return if plain && !self.scope.is_empty() { self.variable() } else { self.atom() };
        }
        let depth = depth - 1;
        match self.rng.below(13) {
            0 => Not(Box::new(self.formula(depth, !head))),
            1 | 2 => And((0..1 + self.rng.index(3)).map(|_| self.formula(depth, head)).collect()),
            3 => Or((0..2).map(|_| self.formula(depth, head)).collect()),
            4 | 5 if head => {
                Implies(Box::new(self.formula(depth, false)), Box::new(self.formula(depth, true)))
            }
            4 | 5 => And((0..3).map(|_| self.formula(depth, false)).collect()),
            6 => Iff(Box::new(self.formula(depth / 2, head)), Box::new(self.variable())),
            7 => Ite(
                Box::new(self.variable()),
                Box::new(self.formula(depth, head)),
                Box::new(self.formula(depth, head)),
            ),
            8 | 9 => {
                let bound: Vec<usize> = (0..1 + self.rng.index(2)).map(|_| self.fresh()).collect();
                self.scope.extend(&bound);
                let body = Box::new(self.formula(depth, head));
                self.scope.truncate(self.scope.len() - bound.len());
                // Mostly the quantifier that can be pulled out.
                if head != (self.rng.below(8) == 0) { Forall(bound, body) } else { Exists(bound, body) }
            }
            10 => {
                let value = Box::new(self.formula(depth, head));
                let name = self.fresh();
                self.scope.push(name);
                let body = And((0..2).map(|_| self.formula(depth, head)).collect());
                self.scope.pop();
                Let(name, value, Box::new(body))
            }
            11 if head => Macro(0, Box::new(self.variable())),
            11 => {
                // Two uses of one macro bring the same bound variable twice.
                let which = 1 + self.rng.index(2);
                let mut members: Vec<Formula> =
                    (0..2).map(|_| Macro(which, Box::new(self.variable()))).collect();
                members.push(Macro(2, Box::new(Macro(2, Box::new(self.formula(depth / 2, false))))));
                And(members)
            }
            _ => self.formula(0, head),
        }
    }
}

fn show(formula: &Formula, out: &mut String) {
    let list = |head: &str, members: &[&Formula], out: &mut String| {
        *out += &format!("({head}");
        for member in members {
            *out += " ";
            show(member, out);
        }
        *out += ")";
    };
    let quantifier = |head: &str, variables: &[usize], body: &Formula, out: &mut String| {
        let variables: Vec<String> = variables.iter().map(|v| format!("(v{v} Bool)")).collect();
        *out += &format!("({head} ({}) ", variables.join(" "));
        show(body, out);
        *out += ")";
    };
    match formula {
        Variable(v) => *out += &format!("v{v}"),
        Predicate(which, args) if args.is_empty() => *out += NAMES[*which],
        Predicate(which, args) => list(NAMES[*which], &args.iter().collect::<Vec<_>>(), out),
        Not(a) => list("not", &[a], out),
        And(members) => list("and", &members.iter().collect::<Vec<_>>(), out),
        Or(members) => list("or", &members.iter().collect::<Vec<_>>(), out),
        Implies(a, b) => list("=>", &[a, b], out),
        Iff(a, b) => list("=", &[a, b], out),
        Ite(c, a, b) => list("ite", &[c, a, b], out),
        Forall(variables, body) => quantifier("forall", variables, body, out),
        Exists(variables, body) => quantifier("exists", variables, body, out),
        Let(name, value, body) => {
            *out += &format!("(let ((v{name} ");
            show(value, out);
            *out += ")) ";
            show(body, out);
            *out += ")";
        }
        Macro(which, argument) => list(&format!("m{which}"), &[argument], out),
    }
}

/// Tables of the predicates: the arguments, as bits, index a truth value.
type Tables = [[bool; 4]; 4];

fn evaluate(formula: &Formula, values: &mut Vec<(usize, bool)>, tables: &Tables) -> bool {
    match formula {
        Variable(v) => values.iter().rev().find(|(name, _)| name == v).expect("a value").1,
        Predicate(which, args) => {
            let bits: Vec<bool> = args.iter().map(|a| evaluate(a, values, tables)).collect();
            tables[*which][index(&bits)]
        }
        Not(a) => !evaluate(a, values, tables),
        And(members) => members.iter().all(|m| evaluate(m, values, tables)),
        Or(members) => members.iter().any(|m| evaluate(m, values, tables)),
        Implies(a, b) => !evaluate(a, values, tables) || evaluate(b, values, tables),
        Iff(a, b) => evaluate(a, values, tables) == evaluate(b, values, tables),
        Ite(c, a, b) => evaluate(if evaluate(c, values, tables) { a } else { b }, values, tables),
        Forall(variables, body) => each(variables, body, values, tables).into_iter().all(|truth| truth),
        Exists(variables, body) => each(variables, body, values, tables).into_iter().any(|truth| truth),
        Let(name, value, body) => {
            let value = evaluate(value, values, tables);
            values.push((*name, value));
            let truth = evaluate(body, values, tables);
            values.pop();
            truth
        }
        Macro(which, argument) => {
            let argument = evaluate(argument, values, tables);
            let (a, b) = (usize::MAX - 1, usize::MAX);
            values.push((a, argument));
            let truth = evaluate(&macro_body(*which, a, b), values, tables);
            values.pop();
            truth
        }
    }
}

/// The body under all values of the variables.
fn each(variables: &[usize], body: &Formula, values: &mut Vec<(usize, bool)>, tables: &Tables) -> Vec<bool> {
    let mut truths = Vec::new();
    for bits in 0..1usize << variables.len() {
        values.extend(variables.iter().enumerate().map(|(i, &v)| (v, bits >> i & 1 == 1)));
        truths.push(evaluate(body, values, tables));
        values.truncate(values.len() - variables.len());
    }
    truths
}

fn index(bits: &[bool]) -> usize {
    bits.iter().enumerate().map(|(i, &bit)| usize::from(bit) << i).sum()
}

/// The formula with its quantifiers, which are over truth values, written out.
fn expand(store: &mut Store, formula: Term) -> Term {
    let mut formula = formula;
    // Children come first, so the first quantifier has none inside.
    while let Some(block) =
        store.subterms(&[formula]).into_iter().find(|&t| matches!(store.view(t), View::Forall(..)))
    {
        let View::Forall(vars, body) = store.view(block) else { unreachable!() };
        let symbols: Vec<Symbol> = vars.iter().map(|&v| store.as_var(v).expect("a variable")).collect();
        let mut cases = vec![body];
        for symbol in symbols {
            cases = cases
                .into_iter()
                .flat_map(|case| {
                    [Term::TRUE, Term::FALSE].map(|value| {
                        let mut substitution = Substitution::new();
                        substitution.insert(symbol, value);
                        store.substitute(case, &substitution)
                    })
                })
                .collect();
        }
        let all = store.and(&cases);
        formula = store.replace(formula, &[(block, all)]);
    }
    formula
}

/// Whether a clause holds under the tables, for all values of its variables.
fn holds(store: &mut Store, clause: &Clause, tables: &Tables) -> bool {
    let constraint = expand(store, clause.constraint);
    let symbols: Vec<Symbol> =
        clause.variables.iter().map(|&v| store.as_var(v).expect("a variable")).collect();
    (0..1usize << symbols.len()).all(|bits| {
        let value = |symbol: Symbol| {
            let at = symbols.iter().position(|&s| s == symbol).expect("a variable of the clause");
            Some(Value::Bool(bits >> at & 1 == 1))
        };
        let truth = |term| store.evaluate(term, &value).and_then(|v| v.as_bool()).expect("a truth value");
        let atom = |atom: &Atom| {
            let arguments: Vec<bool> = atom.args.iter().map(|&a| truth(a)).collect();
            tables[atom.predicate.index()][index(&arguments)]
        };
        let body = truth(constraint) && clause.body.iter().all(atom);
        !body || clause.head.as_ref().is_some_and(atom)
    })
}

fn read(store: &mut Store, text: &str) -> Result<std::sync::Arc<System>, ErrorKind> {
    Script::read(store, text, &StopToken::new()).map(|script| script.system).map_err(|error| error.kind)
}

#[test]
fn clauses_are_equivalent_to_their_assertion() {
    let (mut accepted, mut several, mut refused) = (0, 0, 0);
    for seed in 0..6_000 {
        let mut maker = Maker { rng: Rng::new(seed), next: 0, scope: Vec::new() };
        let depth = 2 + maker.rng.index(4);
        let formula = maker.formula(depth, true);
        let mut text = format!(
            "(declare-fun p (Bool Bool) Bool) (declare-fun q (Bool) Bool) (declare-fun r (Bool) Bool) (declare-const s \
             Bool)\n{MACROS}(assert "
        );
        show(&formula, &mut text);
        text += ")";
        let mut store = Store::new();
        let system = match read(&mut store, &text) {
            Ok(system) => system,
            Err(ErrorKind::NotHorn) => {
                refused += 1;
                continue;
            }
            Err(kind) => panic!("{kind:?} for {text}"),
        };
        if system.clauses.iter().any(|clause| clause.variables.len() > 10) {
            continue;
        }
        accepted += 1;
        several += usize::from(system.clauses.len() > 1);
        let mut variables: Vec<_> = system.clauses.iter().flat_map(|c| c.variables.iter()).collect();
        let count = variables.len();
        variables.sort_unstable();
        variables.dedup();
        assert_eq!(variables.len(), count, "seed {seed}: clauses share variables, {text}");
        // The script that is printed for the system is judged, too.
        let mut printed = Vec::new();
        write_system(&mut printed, &mut store, &system).expect("written");
        let printed = String::from_utf8(printed).expect("text");
        let again = read(&mut store, &printed).unwrap_or_else(|kind| panic!("{kind:?} for {printed}"));
        for _ in 0..24 {
            let mut tables = Tables::default();
            for truth in tables.iter_mut().flatten() {
                *truth = maker.rng.below(2) == 0;
            }
            let expected = evaluate(&formula, &mut Vec::new(), &tables);
            let found = system.clauses.iter().all(|clause| holds(&mut store, clause, &tables));
            assert_eq!(found, expected, "seed {seed}, {tables:?}: {text}\n{printed}");
            let found = again.clauses.iter().all(|clause| holds(&mut store, clause, &tables));
            assert_eq!(found, expected, "seed {seed}, {tables:?}: {printed}");
        }
    }
    assert!(accepted > 1_000 && several > 200 && refused > 500, "{accepted} {several} {refused}");
}
