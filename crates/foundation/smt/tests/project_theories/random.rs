//! Random formulas, each made true by a random model.

use shem_base::Rng;
use shem_smt::project::{Projector, Unsupported};
use shem_smt::{FunctionTable, Model};
use shem_term::{Term, Value};

use super::generator::{Generator, Kind, Language, VARIABLES};
use super::judge::{extends, holds, is_free_of};
use super::scene::Scene;

/// The number of models of a scene.
const MODELS: usize = 6;

type Entries = Vec<(&'static str, String)>;

fn borrowed(entries: &Entries) -> Vec<(&str, &str)> {
    entries.iter().map(|(name, text)| (*name, text.as_str())).collect()
}

/// Gives the symbols of the declared sort random values.
fn add_elements(scene: &mut Scene, model: &mut Model, rng: &mut Rng) {
    let sort = scene.store.signature(scene.symbol("u")).result;
    let element = |rng: &mut Rng| Value::Element(sort, rng.index(3) as u32);
    for name in ["u", "v"] {
        model.insert(scene.symbol(name), element(rng));
    }
    let mut table = FunctionTable::new(element(rng));
    table.set(vec![Value::Element(sort, 0)], element(rng));
    table.set(vec![Value::Element(sort, 1)], element(rng));
    model.insert_function(scene.symbol("g"), table);
}

/// What became of the random projections.
#[derive(Debug, Default)]
struct Tally {
    projected: usize,
    refused: usize,
    exact: usize,
    extended: usize,
    undecided: usize,
}

/// Projects random formulas and checks all that is promised.
fn check(language: Language, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        check_one(language, seed, &mut tally);
    }
    tally
}

fn check_one(language: Language, seed: u64, tally: &mut Tally) {
    let mut g = Generator { rng: Rng::new(seed), language };
    let texts: Vec<String> = (0..1 + g.rng.index(4)).map(|_| g.formula(1)).collect();
    let functions = g.functions();
    let mut models: Vec<Entries> = vec![g.values(None)];
    while models.len() < MODELS {
        let next = g.values(Some(&models[0]));
        models.push(next);
    }
    models.iter_mut().for_each(|model| model.extend(functions.iter().cloned()));
    let formulas: Vec<&str> = texts.iter().map(String::as_str).collect();
    let borrowed: Vec<Vec<(&str, &str)>> = models.iter().map(borrowed).collect();
    let slices: Vec<&[(&str, &str)]> = borrowed.iter().map(|entries| &entries[..]).collect();
    let (mut scene, mut models) = Scene::with_models(&formulas, &slices);
    let elements = g.rng.next_u64();
    for model in &mut models {
        add_elements(&mut scene, model, &mut Rng::new(elements));
    }
    let model = models[0].clone();
    let members: Vec<Term> =
        scene.formulas.iter().map(|&formula| formula.xor(!holds(&scene.store, formula, &model))).collect();
    let formula = scene.store.and(&members);
    let names: Vec<&str> = VARIABLES.iter().map(|v| v.0).filter(|_| g.rng.bool()).collect();
    let mut eliminate = scene.vars(&names.join(" "));
    if g.rng.bool() {
        eliminate.extend(scene.vars("u"));
    }

    let mut projector = Projector::new();
    let implicant = projector.implicant(&mut scene.store, &[formula], &model, &eliminate).unwrap();
    let implicant = scene.store.and(&implicant);
    assert!(holds(&scene.store, implicant, &model), "seed {seed}: the implicant is false");
    let literals = projector.literals(&mut scene.store, &[formula], &model).unwrap();
    let literals = scene.store.and(&literals);
    assert!(holds(&scene.store, literals, &model), "seed {seed}: the full implicant is false");
    for other in &models[1..] {
        for stronger in [implicant, literals] {
            let implied = !holds(&scene.store, stronger, other) || holds(&scene.store, formula, other);
            assert!(implied, "seed {seed}: an implicant does not imply the formula");
        }
    }

    let projection = match projector.projection(&mut scene.store, &[formula], &model, &eliminate) {
        Ok(projection) => projection,
        Err(Unsupported::DeclaredSort) => {
            tally.refused += 1;
            return;
        }
        Err(other) => panic!("seed {seed}: {other}, for {}", scene.store.display(formula)),
    };
    let again = projector.projection(&mut scene.store, &[formula], &model, &eliminate).unwrap();
    assert_eq!(projection, again, "seed {seed}: projection depends on what was before");
    tally.projected += 1;
    tally.exact += usize::from(projection.exact);
    let cube = scene.store.and(&projection.cube);
    let text = |scene: &Scene| format!("{} for {}", scene.store.display(cube), scene.store.display(formula));
    assert!(holds(&scene.store, cube, &model), "seed {seed}: {} is false", text(&scene));
    is_free_of(&scene.store, cube, formula, &eliminate);
    for other in &models[1..] {
        let (result, origin) = (holds(&scene.store, cube, other), holds(&scene.store, formula, other));
        assert!(!projection.exact || !origin || result, "seed {seed}: not exact: {}", text(&scene));
        if result && !origin {
            match extends(&mut scene.store, formula, other, &models, &eliminate, &mut g.rng) {
                Some(true) => tally.extended += 1,
                Some(false) => panic!("seed {seed}: too weak: {}", text(&scene)),
                None => tally.undecided += 1,
            }
        }
    }
}

/// Nearly all must be judged, and the judgements must be worth something.
fn expect(tally: &Tally) {
    assert!(tally.undecided * 20 <= tally.extended, "too much is without a judgement: {tally:?}");
    assert!(tally.extended * 4 >= tally.projected && tally.exact * 20 >= tally.projected, "{tally:?}");
}

#[test]
fn arrays() {
    let kinds = &[Kind::Int, Kind::Array, Kind::Matrix, Kind::Flags];
    let tally = check(Language { kinds, functions: false, products: false }, 0..1000);
    expect(&tally);
}

#[test]
fn datatypes() {
    let kinds = &[Kind::Int, Kind::List, Kind::Pair, Kind::Color, Kind::Tree, Kind::Forest];
    let tally = check(Language { kinds, functions: false, products: false }, 1000..2000);
    expect(&tally);
}

#[test]
fn functions() {
    let kinds = &[Kind::Int, Kind::Bool, Kind::Declared];
    let tally = check(Language { kinds, functions: true, products: true }, 2000..3000);
    expect(&tally);
}

#[test]
fn everything() {
    let kinds = &[
        Kind::Int,
        Kind::Array,
        Kind::Matrix,
        Kind::Flags,
        Kind::ByColor,
        Kind::ByList,
        Kind::List,
        Kind::Pair,
        Kind::Color,
        Kind::Record,
        Kind::Tree,
        Kind::Declared,
    ];
    let tally = check(Language { kinds, functions: true, products: true }, 3000..4000);
    expect(&tally);
}
