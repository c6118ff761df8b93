//! Terms by calls that check: what does not fit is an error, and what belongs elsewhere is refused.

use libshem::{
    BuildError, ConstructorDeclaration, DatatypeDeclaration, FieldSort, Options, Problem, Sort, Term,
};

fn datatype(name: &str, constructors: Vec<ConstructorDeclaration>) -> DatatypeDeclaration {
    DatatypeDeclaration { name: name.to_owned(), constructors }
}

/// Pairs of an integer and a tree, and trees of pairs.
fn trees(problem: &mut Problem) -> [Sort; 2] {
    let node = ConstructorDeclaration::new(
        "node",
        &[("left", FieldSort::Member(1)), ("right", FieldSort::Member(1))],
    );
    let tree = datatype("Tree", vec![ConstructorDeclaration::new("leaf", &[]), node]);
    let item =
        ConstructorDeclaration::new("item", &[("key", Sort::Int.into()), ("below", FieldSort::Member(0))]);
    let sorts = problem.declare_datatypes(&[tree, datatype("Item", vec![item])]).expect("they have values");
    sorts.try_into().expect("two sorts")
}

#[test]
fn wrong_sorts_are_errors() {
    let mut problem = Problem::new();
    let [tree, item] = trees(&mut problem);
    let p = problem.declare("p", &[Sort::Int]).expect("a new name");
    let array = problem.store_mut().array_sort(Sort::Int, Sort::Bool);
    let s = problem.terms();
    let (x, r, b) = (s.variable("x", Sort::Int), s.variable("r", Sort::Real), s.variable("b", Sort::Bool));
    let (a, t) = (s.variable("a", array), s.variable("t", tree));
    let cases: Vec<(&str, Result<_, BuildError>)> = vec![
        ("argument 2 of + must be of sort Int, not Real", s.add(&[x, r])),
        ("argument 1 of - must be of sort Int or Real, not Bool", s.neg(b)),
        ("argument 2 of * must be of sort Real, not Int", s.mul(&[r, x])),
        ("argument 1 of div must be of sort Int, not Real", s.div(r, x)),
        ("argument 2 of mod must be of sort Int, not Bool", s.modulo(x, b)),
        ("argument 1 of / must be of sort Real, not Int", s.quotient(x, r)),
        ("argument 2 of = must be of sort Int, not Bool", s.eq(x, b)),
        ("argument 2 of <= must be of sort Int, not Real", s.le(x, r)),
        ("argument 1 of < must be of sort Int or Real, not Bool", s.lt(b, b)),
        ("argument 2 of and must be of sort Bool, not Int", s.and(&[b, x])),
        ("argument 1 of not must be of sort Bool, not Int", s.not(x)),
        ("argument 1 of ite must be of sort Bool, not Int", s.ite(x, x, x)),
        ("argument 2 of ite must be of sort Int, not Real", s.ite(b, x, r)),
        ("argument 1 of select must be of sort Array, not Int", s.select(x, x)),
        ("argument 2 of select must be of sort Int, not Bool", s.select(a, b)),
        ("argument 3 of store must be of sort Bool, not Int", s.store(a, x, x)),
        ("node takes 2 arguments, not 1", s.construct(tree, "node", &[t])),
        ("argument 1 of node must be of sort Item, not Tree", s.construct(tree, "node", &[t, t])),
        ("Tree has no constructor or field item", s.construct(tree, "item", &[])),
        ("Int has no constructor or field key", s.field("key", x)),
        ("Tree has no constructor or field key", s.field("key", t)),
        ("Int has no constructor or field leaf", s.is("leaf", x)),
        ("+ takes at least one argument", s.add(&[])),
        ("argument 1 of p must be of sort Int, not Bool", s.apply(p, &[b])),
        ("p takes 1 argument, not 2", s.apply(p, &[x, x])),
    ];
    for (expected, found) in cases {
        assert_eq!(found.map_err(|error| error.to_string()), Err(expected.to_owned()));
    }
    // And what fits is a term.
    let pair = s.construct(item, "item", &[x, t]).expect("a pair");
    let both = s.construct(tree, "node", &[pair, pair]).expect("a tree");
    let is_leaf = s.is("leaf", both).expect("a formula");
    assert_eq!(is_leaf.term(), Term::FALSE);
    assert_eq!(s.field("key", pair), Ok(x));
}

#[test]
fn impossible_datatypes_are_errors() {
    let mut problem = Problem::new();
    let endless =
        datatype("Endless", vec![ConstructorDeclaration::new("more", &[("rest", FieldSort::Member(0))])]);
    let empty = datatype("Empty", vec![]);
    let outside = datatype("Outside", vec![ConstructorDeclaration::new("c", &[("f", FieldSort::Member(3))])]);
    for (declaration, word) in [(endless, "Endless"), (empty, "Empty"), (outside, "the field f")] {
        let error = problem.declare_datatypes(&[declaration]).expect_err("there is none").to_string();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn terms_of_other_problems_are_refused() {
    let mut first = Problem::new();
    let p = first.declare("p", &[Sort::Int]).expect("a new name");
    let x = first.terms().variable("x", Sort::Int);
    let mut clone = first.clone();
    // What was there before is known to both, and what comes later only to its own problem.
    let later = first.terms().variable("later", Sort::Int);
    let own = clone.terms().variable("own", Sort::Int);
    assert!(first.terms().apply(p, &[x]).is_ok() && clone.terms().apply(p, &[x]).is_ok());
    assert!(first.terms().apply(p, &[later]).is_ok() && clone.terms().apply(p, &[own]).is_ok());
    assert_eq!(clone.terms().add(&[x, later]), Err(BuildError::Foreign));
    assert_eq!(first.terms().eq(own, x), Err(BuildError::Foreign));
    let atom = first.terms().apply(p, &[x]).expect("an atom");
    let mut other = Problem::new();
    assert_eq!(other.clause(&[atom], atom), Err(BuildError::Foreign));
    assert_eq!(other.assert(atom), Err(BuildError::Foreign));
    assert_eq!(other.query(&[atom]), Err(BuildError::Foreign));
    // A term that is too new for the store is noticed, too.
    assert_eq!(other.query(&[atom.term()]), Err(BuildError::Foreign));
    assert!(other.system().clauses.is_empty());
    // A clone is solved like the problem.
    first.clause(&[], atom).expect("a clause");
    assert!(first.clone().solve(&Options::default()).expect("an answer").model().is_some());
}
