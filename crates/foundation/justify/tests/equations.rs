//! Clauses and lemmas about functions, arrays and datatypes: right ones are accepted, and changed ones refused.

use std::collections::BTreeMap;

use shem_base::{Int, Lit, Rat, Var};
use shem_justify::{
    Assertion, Meaning, NodeMeaning, NumberMeaning, Premises, RefutationError, Translation, check_refutation,
};
use shem_proof::{ClauseId, Lemma, LemmaKind, LinearAtom, LinearForm, Origin, Proof, ProofLog, ProofSink};
use shem_term::{ConstructorDeclaration, DatatypeDeclaration, FieldSort, Sort, Store, Symbol, Term, View};

/// Meanings as tables.
#[derive(Default)]
struct Tables {
    vars: Vec<Meaning>,
    numbers: Vec<NumberMeaning>,
    nodes: Vec<NodeMeaning>,
}

impl Translation for Tables {
    fn meaning(&self, var: Var) -> Meaning {
        self.vars.get(var.index()).cloned().unwrap_or(Meaning::Free)
    }

    fn number(&self, number: u32) -> NumberMeaning {
        self.numbers.get(number as usize).cloned().unwrap_or(NumberMeaning::Free { integral: true })
    }

    fn node(&self, node: u32) -> NodeMeaning {
        self.nodes.get(node as usize).cloned().unwrap_or(NodeMeaning::Unknown)
    }
}

/// A store with a translation and the record of a proof.
#[derive(Default)]
struct Case {
    store: Store,
    tables: Tables,
    /// The nodes of terms.
    known: BTreeMap<Term, u32>,
    log: ProofLog,
}

impl Case {
    fn var(&mut self, meaning: Meaning) -> Lit {
        self.tables.vars.push(meaning);
        Var::new(self.tables.vars.len() as u32 - 1).positive()
    }

    fn equation(&mut self, a: u32, b: u32) -> Lit {
        self.var(Meaning::Equation(a, b))
    }

    fn number(&mut self, meaning: NumberMeaning) -> u32 {
        self.tables.numbers.push(meaning);
        self.tables.numbers.len() as u32 - 1
    }

    fn node(&mut self, meaning: NodeMeaning) -> u32 {
        self.tables.nodes.push(meaning);
        self.tables.nodes.len() as u32 - 1
    }

    fn application(&mut self, symbol: Symbol, args: &[u32]) -> u32 {
        self.node(NodeMeaning::Application { symbol, args: args.to_vec(), number: None })
    }

    /// The node of a term: applications are opened, other arithmetic terms have numbers.
    fn node_of(&mut self, term: Term) -> u32 {
        if let Some(&node) = self.known.get(&term) {
            return node;
        }
        let sort = self.store.sort(term);
        let meaning = match self.store.view(term) {
            View::App(symbol, args) => {
                let args = args.to_vec();
                let args = args.into_iter().map(|arg| self.node_of(arg)).collect();
                let node = self.tables.nodes.len() as u32;
                let number = sort.is_arithmetic().then(|| self.number(NumberMeaning::Node(node)));
                NodeMeaning::Application { symbol, args, number }
            }
            View::Num(value) => NodeMeaning::Numeral(value.clone(), sort),
            _ if sort.is_arithmetic() => {
                let number = self.number(NumberMeaning::Term(term));
                NodeMeaning::Sum(form(&[(number, 1)], 0), sort)
            }
            _ => NodeMeaning::Term(term),
        };
        let node = self.node(meaning);
        self.known.insert(term, node);
        node
    }

    /// The number of an arithmetic node.
    fn number_of(&self, node: u32) -> u32 {
        match &self.tables.nodes[node as usize] {
            NodeMeaning::Sum(form, _) => form.terms[0].0,
            NodeMeaning::Application { number, .. } => number.unwrap(),
            _ => panic!("no number"),
        }
    }

    /// The literal of `sum <= bound`.
    fn at_most(&mut self, terms: &[(u32, i64)], bound: i64) -> Lit {
        let form = form(terms, bound);
        self.var(Meaning::Inequality(LinearAtom { terms: form.terms, bound: form.constant, strict: false }))
    }

    fn lemma(&mut self, kind: LemmaKind, lits: &[Lit]) -> ClauseId {
        let mut lemma = Lemma::default();
        lemma.start(kind);
        lits.iter().for_each(|&lit| lemma.add_lit(lit));
        self.log.lemma(&lemma)
    }

    fn asserted(&mut self, number: u32, lits: &[Lit]) -> ClauseId {
        self.log.input(lits, Origin::Assertion(number))
    }

    fn judge(&mut self, root: ClauseId, assertions: &[Term]) -> Result<(), RefutationError> {
        let proof = Proof::extract(&self.log, root).unwrap();
        let assertions: Vec<Assertion> = assertions.iter().map(|&formula| formula.into()).collect();
        let premises = Premises { assertions: &assertions, ..Premises::default() };
        check_refutation(&mut self.store, &proof, &self.tables, premises)
    }

    /// Whether the clause is accepted as one of the assertion, or as a definition.
    fn accepts(&mut self, clause: &[Lit], assertion: Option<Term>) -> bool {
        let origin = if assertion.is_some() { Origin::Assertion(0) } else { Origin::Definition };
        let id = self.log.input(clause, origin);
        match self.judge(id, assertion.as_slice()) {
            Ok(()) | Err(RefutationError::Conclusion(_)) => true,
            Err(RefutationError::Unjustified(_) | RefutationError::Meaning(..)) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

fn form(terms: &[(u32, i64)], constant: i64) -> LinearForm {
    let terms = terms.iter().map(|&(number, coeff)| (number, Rat::from(coeff))).collect();
    LinearForm { terms, constant: Rat::from(constant) }
}

/// A declared sort with some constants.
fn constants<const N: usize>(store: &mut Store, names: [&str; N]) -> (Sort, [Term; N]) {
    let sort = store.declare_sort("U");
    (sort, names.map(|name| store.variable(name, sort)))
}

fn function(store: &mut Store, args: &[Sort], result: Sort) -> Symbol {
    store.declare("f", args, result)
}

#[test]
fn atoms_are_equations_of_their_nodes() {
    let mut case = Case::default();
    let (u, [a, b]) = constants(&mut case.store, ["a", "b"]);
    let (f, p) = (function(&mut case.store, &[u, u], u), function(&mut case.store, &[u], Sort::Bool));
    let (fab, fba) = (case.store.apply(f, &[a, b]), case.store.apply(f, &[b, a]));
    let equal = case.store.eq(fab, a);
    let [n_ab, n_ba, n_a, n_b] = [fab, fba, a, b].map(|term| case.node_of(term));
    let [right, turned, wrong] = [(n_ab, n_a), (n_a, n_ab), (n_ba, n_a)].map(|(a, b)| case.equation(a, b));
    assert!(case.accepts(&[right], Some(equal)) && case.accepts(&[turned], Some(equal)));
    assert!(!case.accepts(&[!right], Some(equal)) && !case.accepts(&[wrong], Some(equal)));
    assert!(case.accepts(&[!right], Some(!equal)));
    // A Boolean application is the equation with truth.
    let pa = case.store.apply(p, &[a]);
    let (n_pa, truth) = (case.node_of(pa), case.node(NodeMeaning::Truth));
    let (is_pa, again) = (case.equation(n_pa, truth), case.equation(truth, n_pa));
    assert!(case.accepts(&[is_pa], Some(pa)) && case.accepts(&[!again], Some(!pa)));
    assert!(!case.accepts(&[!is_pa], Some(pa)) && case.accepts(&[is_pa, !again], None));
    let other = case.application(p, &[n_b]);
    let is_other = case.equation(other, truth);
    assert!(!case.accepts(&[is_other], Some(pa)));
    // A formula may mean the same as an equation, and gates are made of them.
    let gate = case.store.and(&[pa, !equal]);
    let (g, named) = (case.var(Meaning::Formula(gate)), case.var(Meaning::Formula(equal)));
    assert!(case.accepts(&[!named, right], None) && case.accepts(&[named, !right], None));
    assert!(case.accepts(&[!g, is_pa], None) && case.accepts(&[!g, !right], None));
    assert!(case.accepts(&[g, !is_pa, right], None) && !case.accepts(&[g, !is_pa, wrong], None));
}

#[test]
fn arguments_are_compared_by_value() {
    let mut case = Case::default();
    let u = case.store.declare_sort("U");
    let f = function(&mut case.store, &[Sort::Int, Sort::Bool], u);
    let [x, y] = ["x", "y"].map(|name| case.store.variable(name, Sort::Int));
    let c = case.store.variable("c", u);
    // f(x mod 3 + 2y, x <= y) = c; the remainder is a sum with a quotient in the clauses.
    let three = Int::from(3);
    let remainder = case.store.int_mod(x, &three);
    let double = case.store.scale(&Rat::from(2), y);
    let (sum, order) = (case.store.add(&[remainder, double]), case.store.le(x, y));
    let applied = case.store.apply(f, &[sum, order]);
    let equal = case.store.eq(applied, c);
    let [n_x, n_y] = [x, y].map(|term| case.number(NumberMeaning::Term(term)));
    let quotient = case.number(NumberMeaning::Quotient(x, three));
    let n_c = case.node_of(c);
    let argument = case.node(NodeMeaning::Sum(form(&[(n_x, 1), (n_y, 2), (quotient, -3)], 0), Sort::Int));
    let wrong = case.node(NodeMeaning::Sum(form(&[(n_x, 1), (n_y, 2), (quotient, -2)], 0), Sort::Int));
    let fraction = LinearForm { terms: vec![(n_x, Rat::new(Int::ONE, Int::from(2)))], constant: Rat::ZERO };
    let fraction = case.node(NodeMeaning::Sum(fraction, Sort::Int));
    let (truth, order) = (case.node(NodeMeaning::Truth), case.node(NodeMeaning::Term(order)));
    let literal = |case: &mut Case, args: [u32; 2]| {
        let node = case.application(f, &args);
        case.equation(node, n_c)
    };
    let right = literal(&mut case, [argument, order]);
    assert!(case.accepts(&[right], Some(equal)));
    for args in [[wrong, order], [argument, truth], [fraction, order]] {
        let lit = literal(&mut case, args);
        assert!(!case.accepts(&[lit], Some(equal)), "{args:?}");
    }
    // The variable of a Boolean argument says what the inequality says.
    let (is_order, below) = (case.equation(order, truth), case.at_most(&[(n_x, 1), (n_y, -1)], 0));
    assert!(case.accepts(&[!is_order, below], None) && case.accepts(&[is_order, !below], None));
    assert!(!case.accepts(&[is_order, below], None));
}

#[test]
fn conditionals_have_names() {
    let mut case = Case::default();
    let (_, [a, b, d]) = constants(&mut case.store, ["a", "b", "d"]);
    let c = case.store.variable("c", Sort::Bool);
    let term = case.store.ite(c, a, b);
    let equal = case.store.eq(term, d);
    let [name, n_a, n_b, n_d] = [term, a, b, d].map(|term| case.node_of(term));
    let condition = case.var(Meaning::Formula(c));
    let [is_a, is_b, is_d] = [n_a, n_b, n_d].map(|node| case.equation(name, node));
    assert!(case.accepts(&[!condition, is_a], None) && case.accepts(&[condition, is_b], None));
    for clause in [[condition, is_a], [!condition, is_b], [!condition, !is_a], [condition, is_d]] {
        assert!(!case.accepts(&clause, None), "{clause:?}");
    }
    assert!(!case.accepts(&[is_a], None) && !case.accepts(&[condition], None));
    assert!(case.accepts(&[is_d], Some(equal)));
}

#[test]
fn a_refutation_by_congruence() {
    // a = b, f(a) != f(b)
    let mut case = Case::default();
    let (u, [a, b]) = constants(&mut case.store, ["a", "b"]);
    let f = function(&mut case.store, &[u], u);
    let (fa, fb) = (case.store.apply(f, &[a]), case.store.apply(f, &[b]));
    let assertions = [case.store.eq(a, b), !case.store.eq(fa, fb)];
    let [n_a, n_b, n_fa, n_fb] = [a, b, fa, fb].map(|term| case.node_of(term));
    let (ab, fab) = (case.equation(n_a, n_b), case.equation(n_fa, n_fb));
    let lemma = case.lemma(LemmaKind::Equality, &[!ab, fab]);
    let steps = [lemma, case.asserted(0, &[ab]), case.asserted(1, &[!fab])];
    let root = case.log.derive(&steps);
    assert_eq!(case.judge(root, &assertions), Ok(()));
    let satisfiable = [assertions[0], !assertions[1]];
    assert!(matches!(case.judge(root, &satisfiable), Err(RefutationError::Unjustified(_))));
    // Nodes that lie: another argument, one that is its own argument, too many, no function, none at all.
    let lies = [
        NodeMeaning::Application { symbol: f, args: vec![n_a], number: None },
        NodeMeaning::Application { symbol: f, args: vec![n_fb], number: None },
        NodeMeaning::Application { symbol: f, args: vec![n_b, n_b], number: None },
        NodeMeaning::Free(u),
        NodeMeaning::Truth,
        NodeMeaning::Unknown,
    ];
    for lie in lies {
        let truth = std::mem::replace(&mut case.tables.nodes[n_fb as usize], lie.clone());
        assert!(case.judge(root, &assertions).is_err(), "{lie:?}");
        case.tables.nodes[n_fb as usize] = truth;
    }
    assert_eq!(case.judge(root, &assertions), Ok(()));
}

#[test]
fn a_refutation_through_arithmetic() {
    // x <= y, y <= x, f(x) < f(y)
    let mut case = Case::default();
    let f = function(&mut case.store, &[Sort::Int], Sort::Int);
    let [x, y] = ["x", "y"].map(|name| case.store.variable(name, Sort::Int));
    let (fx, fy) = (case.store.apply(f, &[x]), case.store.apply(f, &[y]));
    let assertions = [case.store.le(x, y), case.store.le(y, x), case.store.lt(fx, fy)];
    let nodes = [x, y, fx, fy].map(|term| case.node_of(term));
    let [x, y, fx, fy] = nodes.map(|node| case.number_of(node));
    let (xy, fxy) = (case.equation(nodes[0], nodes[1]), case.equation(nodes[2], nodes[3]));
    let [below, above] = [[(x, 1), (y, -1)], [(y, 1), (x, -1)]].map(|terms| case.at_most(&terms, 0));
    let less = case.at_most(&[(fx, 1), (fy, -1)], -1);
    let steps = [
        case.lemma(LemmaKind::Bridge, &[xy, !below, !above]),
        case.asserted(0, &[below]),
        case.asserted(1, &[above]),
        case.lemma(LemmaKind::Equality, &[!xy, fxy]),
        case.lemma(LemmaKind::Bridge, &[!fxy, !less]),
        case.asserted(2, &[less]),
    ];
    let root = case.log.derive(&steps);
    assert_eq!(case.judge(root, &assertions), Ok(()));
    let satisfiable = [assertions[0], assertions[1], !assertions[2]];
    assert!(case.judge(root, &satisfiable).is_err());
    // The number of f(y) is said to be that of another node, or a variable of its own.
    for lie in [NumberMeaning::Node(nodes[2]), NumberMeaning::Free { integral: true }] {
        let truth = std::mem::replace(&mut case.tables.numbers[fy as usize], lie.clone());
        assert!(case.judge(root, &assertions).is_err(), "{lie:?}");
        case.tables.numbers[fy as usize] = truth;
    }
}

#[test]
fn a_sum_is_no_part_of_itself() {
    // Node 1 is f(node 0), and node 0 is said to be the number of node 1, plus 1: not every f has such a number.
    let mut case = Case::default();
    let f = function(&mut case.store, &[Sort::Int], Sort::Int);
    let number = case.number(NumberMeaning::Node(1));
    case.node(NodeMeaning::Sum(form(&[(number, 1)], 1), Sort::Int));
    case.node(NodeMeaning::Application { symbol: f, args: vec![0], number: Some(number) });
    let equal = case.equation(0, 1);
    let lemma = case.lemma(LemmaKind::Bridge, &[!equal]);
    assert!(matches!(case.judge(lemma, &[]), Err(RefutationError::Proof(_))));
    assert!(!case.accepts(&[equal, !equal], None));
    // Node 2 is the number of node 1, if node 0 is not.
    case.tables.nodes[0] = NodeMeaning::Numeral(Rat::ZERO, Sort::Int);
    case.node(NodeMeaning::Sum(form(&[(number, 1)], 1), Sort::Int));
    let equal = case.equation(1, 2);
    let lemma = case.lemma(LemmaKind::Bridge, &[!equal]);
    assert_eq!(case.judge(lemma, &[]), Err(RefutationError::Conclusion(!equal)));
}

#[test]
fn a_refutation_about_lists_in_arrays() {
    // b = store(a, i, nil), b[j] = cons(0, a[j]): then i = j.
    let mut case = Case::default();
    let list = case.store.declare_datatypes(&[lists()]).unwrap()[0];
    let id = list.as_datatype().expect("a datatype");
    let [nil, cons] = case.store.datatype(id).constructors() else { panic!("two constructors") };
    let (nil, cons) = (nil.symbol, cons.symbol);
    let arrays = case.store.array_sort(Sort::Int, list);
    let [a, b] = ["a", "b"].map(|name| case.store.variable(name, arrays));
    let [i, j] = ["i", "j"].map(|name| case.store.variable(name, Sort::Int));
    let (empty, zero) = (case.store.construct(nil, &[]), case.store.int(0));
    let written = case.store.store_at(a, i, empty);
    let (aj, bj) = (case.store.select(a, j), case.store.select(b, j));
    let longer = case.store.construct(cons, &[zero, aj]);
    let assertions = [case.store.eq(b, written), case.store.eq(bj, longer)];
    let [b, written, bj, longer, i, j] = [b, written, bj, longer, i, j].map(|term| case.node_of(term));
    let [stored, made, same] = [(b, written), (bj, longer), (i, j)].map(|(a, b)| case.equation(a, b));
    let lemma = case.lemma(LemmaKind::Equality, &[!stored, !made, same]);
    let steps = [lemma, case.asserted(0, &[stored]), case.asserted(1, &[made])];
    let root = case.log.derive(&steps);
    assert_eq!(case.judge(root, &assertions), Err(RefutationError::Conclusion(same)));
    for lits in [&[!stored, !made][..], &[!stored, same], &[!made, same]] {
        let lemma = case.lemma(LemmaKind::Equality, lits);
        assert!(matches!(case.judge(lemma, &assertions), Err(RefutationError::Proof(_))), "{lits:?}");
    }
}

#[test]
fn declared_sorts_may_be_finite() {
    // The constant arrays of x and y differ at i at most: then x = y if there are other indices.
    let mut case = Case::default();
    let declared = case.store.declare_sort("U");
    let nested = case.store.array_sort(Sort::Int, declared);
    let list = case.store.declare_datatypes(&[lists()]).unwrap()[0];
    let lists = case.store.array_sort(declared, list);
    let expected = [
        (Sort::Int, true),
        (Sort::Real, true),
        (Sort::Bool, true),
        (declared, false),
        (nested, false),
        (list, true),
        (lists, true),
    ];
    for (index, has_others) in expected {
        let arrays = case.store.array_sort(index, Sort::Int);
        let [x, y] = ["x", "y"].map(|name| case.store.variable(name, Sort::Int));
        let i = case.store.variable("i", index);
        let [kx, ky] = [x, y].map(|value| case.store.constant_array(arrays, value));
        let written = case.store.store_at(kx, i, y);
        let [ky, written, x, y] = [ky, written, x, y].map(|term| case.node_of(term));
        let (arrays, values) = (case.equation(written, ky), case.equation(x, y));
        let lemma = case.lemma(LemmaKind::Equality, &[!arrays, values]);
        let judgement = case.judge(lemma, &[]);
        assert_eq!(!matches!(judgement, Err(RefutationError::Proof(_))), has_others, "{index:?}");
    }
}

fn lists() -> DatatypeDeclaration {
    let fields = [("head", FieldSort::Sort(Sort::Int)), ("tail", FieldSort::Member(0))];
    let constructors =
        vec![ConstructorDeclaration::new("nil", &[]), ConstructorDeclaration::new("cons", &fields)];
    DatatypeDeclaration { name: "List".into(), constructors }
}

#[test]
fn depth_costs_no_stack() {
    // f(f(..f(x)..)) as a term and as nodes; the values are numbers and truth values on the way.
    let mut case = Case::default();
    let u = case.store.declare_sort("U");
    let f = function(&mut case.store, &[u, Sort::Int], Sort::Int);
    let p = function(&mut case.store, &[Sort::Int], Sort::Bool);
    let g = function(&mut case.store, &[Sort::Bool], u);
    let c = case.store.variable("c", u);
    let one = case.store.int(1);
    let (mut term, mut node) = (c, case.node_of(c));
    let unit = case.node_of(one);
    for _ in 0..20_000 {
        let number = case.store.apply(f, &[term, one]);
        let sum = case.store.add(&[number, one]);
        let truth = case.store.apply(p, &[sum]);
        term = case.store.apply(g, &[!truth]);
        let next = case.tables.nodes.len() as u32;
        let value = case.number(NumberMeaning::Node(next));
        case.node(NodeMeaning::Application { symbol: f, args: vec![node, unit], number: Some(value) });
        let sum = case.node(NodeMeaning::Sum(form(&[(value, 1)], 1), Sort::Int));
        let truth = case.application(p, &[sum]);
        let falsity = case.node(NodeMeaning::Falsity);
        let negation = case.node(NodeMeaning::Equation(truth, falsity));
        node = case.application(g, &[negation]);
    }
    let equal = case.store.eq(term, c);
    let c = case.node_of(c);
    let is_equal = case.equation(node, c);
    assert!(case.accepts(&[is_equal], Some(equal)));
    assert!(!case.accepts(&[!is_equal], Some(equal)));
}
