//! Derivations of random contradictions: every clause valid, on one side of every cut, and the lemma at the end.

use std::collections::{BTreeMap, BTreeSet};

use shem_base::Rng;
use shem_term::{Sort, Store, Symbol};

use super::derivation::Derivation;
use super::{Claim, Literal, Shape, Vertex, Vertices, derive};
use crate::interpolate::cutset::{CutSet, Sides};

/// Groups of a sequence; there is a cut after each but the last.
const GROUPS: usize = 4;

struct Problem {
    store: Store,
    vertices: Vertices<1>,
    literals: Vec<Literal>,
}

/// The sides of what occurs in these groups.
fn sides_of(groups: &BTreeSet<usize>) -> Sides<1> {
    let mut sides = Sides::NONE;
    for cut in 0..GROUPS - 1 {
        if groups.iter().any(|&group| group <= cut) {
            sides.a.insert(cut);
        }
        if groups.iter().any(|&group| group > cut) {
            sides.b.insert(cut);
        }
    }
    sides
}

/// A term of the problem: a constant, or a function of one or two arguments.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Tree {
    Constant(usize),
    Unary(Box<Tree>),
    Binary(Box<Tree>, Box<Tree>),
}

fn random_tree(rng: &mut Rng, constants: &[usize], depth: usize) -> Tree {
    match rng.below(if depth == 0 { 1 } else { 4 }) {
        0 | 1 => Tree::Constant(constants[rng.below(constants.len() as u64) as usize]),
        2 => Tree::Unary(Box::new(random_tree(rng, constants, depth - 1))),
        _ => {
            let [a, b] = [0; 2].map(|_| Box::new(random_tree(rng, constants, depth - 1)));
            Tree::Binary(a, b)
        }
    }
}

/// Symbols are numbered: constants, then the two functions.
fn occurrences(tree: &Tree, group: usize, out: &mut BTreeMap<usize, BTreeSet<usize>>) {
    match tree {
        Tree::Constant(index) => {
            out.entry(*index).or_default().insert(group);
        }
        Tree::Unary(arg) => {
            out.entry(100).or_default().insert(group);
            occurrences(arg, group, out);
        }
        Tree::Binary(a, b) => {
            out.entry(101).or_default().insert(group);
            occurrences(a, group, out);
            occurrences(b, group, out);
        }
    }
}

fn random_problem(rng: &mut Rng) -> Problem {
    let mut store = Store::new();
    let sort = store.declare_sort("U");
    let unary = store.declare("f", &[sort], sort);
    let binary = store.declare("g", &[sort, sort], sort);
    let mut trees = Vec::new();
    let mut occurring = BTreeMap::new();
    for group in 0..GROUPS {
        // Neighbouring groups share constants.
        let constants: Vec<usize> = (0..3).map(|index| group + index).collect();
        for _ in 0..2 + rng.below(4) {
            let [a, b] = [0; 2].map(|_| random_tree(rng, &constants, 2));
            occurrences(&a, group, &mut occurring);
            occurrences(&b, group, &mut occurring);
            trees.push((a, b, rng.below(6) > 0));
        }
    }
    let mut vertices = Vertices::default();
    vertices.start(CutSet::first(GROUPS - 1));
    let mut leaves = BTreeMap::new();
    for (&index, groups) in &occurring {
        match index {
            100 => vertices.set_symbol(unary, sides_of(groups)),
            101 => vertices.set_symbol(binary, sides_of(groups)),
            _ => {
                let term = store.variable(&format!("c{index}"), sort);
                leaves.insert(index, vertices.add(Shape::Leaf, Some(term), sides_of(groups)));
            }
        }
    }
    fn build(
        tree: &Tree,
        symbols: [Symbol; 2],
        leaves: &BTreeMap<usize, Vertex>,
        store: &Store,
        vertices: &mut Vertices<1>,
    ) -> Vertex {
        match tree {
            Tree::Constant(index) => leaves[index],
            Tree::Unary(arg) => {
                let arg = build(arg, symbols, leaves, store, vertices);
                vertices.application(store, symbols[0], &[arg])
            }
            Tree::Binary(a, b) => {
                let args = [a, b].map(|arg| build(arg, symbols, leaves, store, vertices));
                vertices.application(store, symbols[1], &args)
            }
        }
    }
    let mut literals = Vec::new();
    for (a, b, positive) in &trees {
        let [a, b] = [a, b].map(|tree| build(tree, [unary, binary], &leaves, &store, &mut vertices));
        match vertices.claim(a, b, *positive) {
            Claim::Literal(literal) if !literals.contains(&literal.negated()) => literals.push(literal),
            _ => {}
        }
    }
    Problem { store, vertices, literals }
}

/// Whether the literals contradict each other, by the plainest closure there is.
fn contradictory(vertices: &Vertices<1>, literals: &[Literal]) -> bool {
    let count = vertices.all().count();
    let mut class: Vec<usize> = (0..count).collect();
    let unite = |class: &mut Vec<usize>, a: Vertex, b: Vertex| {
        let (old, new) = (class[a.index()], class[b.index()]);
        class.iter_mut().filter(|entry| **entry == old).for_each(|entry| *entry = new);
        old != new
    };
    for literal in literals.iter().filter(|literal| literal.positive) {
        unite(&mut class, literal.a, literal.b);
    }
    loop {
        let mut changed = false;
        for a in vertices.all() {
            for b in vertices.all().take(a.index()) {
                let (Some((f, left)), Some((g, right))) = (vertices.parts(a), vertices.parts(b)) else {
                    continue;
                };
                let equal = left.iter().zip(right).all(|(x, y)| class[x.index()] == class[y.index()]);
                if f == g && equal {
                    changed |= unite(&mut class, a, b);
                }
            }
        }
        if !changed {
            break;
        }
    }
    literals.iter().any(|literal| !literal.positive && class[literal.a.index()] == class[literal.b.index()])
}

/// Checks a derivation from the assumptions.
fn check(vertices: &Vertices<1>, assumptions: &[Literal], derivation: &Derivation) {
    let mut derived: Vec<BTreeSet<Literal>> = Vec::new();
    for step in &derivation.steps {
        let parts: Vec<Vertex> = step.clause.iter().flat_map(|literal| [literal.a, literal.b]).collect();
        assert!(vertices.are_pure(&parts), "a clause has no side");
        let negated: Vec<Literal> = step.clause.iter().map(|literal| literal.negated()).collect();
        assert!(contradictory(vertices, &negated), "a clause is not valid");
        let mut clause: BTreeSet<Literal> = step.clause.iter().copied().collect();
        for &(premise, from) in &step.premises {
            assert!(clause.remove(&premise.negated()) && derived[from].contains(&premise));
            clause.extend(derived[from].iter().filter(|&&literal| literal != premise));
        }
        derived.push(clause);
    }
    let last = derived.last().expect("a derivation has steps");
    assert!(last.iter().all(|literal| assumptions.contains(&literal.negated())));
}

#[test]
fn random_contradictions_are_derived_on_sides() {
    let mut rng = Rng::new(11);
    let (mut found, mut mixed_steps) = (0, 0);
    for _ in 0..2000 {
        let Problem { store, mut vertices, literals } = random_problem(&mut rng);
        if !contradictory(&vertices, &literals) {
            assert!(derive(&store, &mut vertices, &literals, &[]).is_err());
            continue;
        }
        found += 1;
        let before = vertices.all().count();
        let derivation = derive(&store, &mut vertices, &literals, &[]).expect("there is a derivation");
        mixed_steps += usize::from(vertices.all().count() > before);
        check(&vertices, &literals, &derivation);
    }
    assert!(found > 300, "{found} contradictions");
    assert!(mixed_steps > 10, "{mixed_steps} derivations with new terms");
}

#[test]
fn an_application_of_shared_terms_comes_between() {
    // A: a = s, p(a). B: b = s, not p(b).
    let mut store = Store::new();
    let sort = store.declare_sort("U");
    let predicate = store.declare("p", &[sort], Sort::Bool);
    let mut vertices = Vertices::<1>::default();
    vertices.start(CutSet::first(1));
    let names = [("a", &[0][..]), ("b", &[3]), ("s", &[0, 3])];
    let [a, b, s] = names.map(|(name, groups)| {
        let term = store.variable(name, sort);
        vertices.add(Shape::Leaf, Some(term), sides_of(&groups.iter().copied().collect()))
    });
    vertices.set_symbol(predicate, Sides::BOTH);
    let [pa, pb] = [a, b].map(|arg| vertices.application(&store, predicate, &[arg]));
    let pairs = [(a, s, true), (b, s, true), (pa, Vertex::TRUTH, true), (pb, Vertex::TRUTH, false)];
    let literals: Vec<Literal> = pairs
        .into_iter()
        .map(|(a, b, positive)| match vertices.claim(a, b, positive) {
            Claim::Literal(literal) => literal,
            Claim::Constant(_) => panic!("not a constant"),
        })
        .collect();
    let before = vertices.all().count();
    let derivation = derive(&store, &mut vertices, &literals, &[]).expect("there is a derivation");
    assert_eq!(vertices.all().count(), before + 1);
    let parts =
        vertices.parts(vertices.all().next_back().expect("vertices")).map(|(f, args)| (f, args.to_vec()));
    assert_eq!(parts, Some((predicate, vec![s])));
    assert!(derivation.steps.iter().all(|step| {
        let parts: Vec<Vertex> = step.clause.iter().flat_map(|literal| [literal.a, literal.b]).collect();
        vertices.are_pure(&parts)
    }));
    // An equation of a and b itself has no side.
    let Claim::Literal(mixed) = vertices.claim(a, b, true) else { panic!("not a constant") };
    assert!(derive(&store, &mut vertices, &[mixed, literals[2], literals[3]], &[]).is_err());
}
