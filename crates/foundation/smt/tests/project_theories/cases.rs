//! What each rule makes of a small formula, and the corners.

use shem_smt::project::Projector;

use crate::judge::{holds, is_free_of};
use crate::scene::Scene;

/// Projects the formula in the model and compares with what is expected; `exact` says whether nothing was chosen.
#[track_caller]
fn check(formula: &str, model: &[(&str, &str)], eliminate: &str, expected: &str, exact: bool) {
    let (mut s, model) = Scene::new(&[formula, expected], model);
    let vars = s.vars(eliminate);
    assert!(holds(&s.store, s.formulas[0], &model), "the model is none");
    let projection = Projector::new().projection(&mut s.store, &s.formulas[..1], &model, &vars).unwrap();
    let cube = s.store.and(&projection.cube);
    let (cube_text, expected) =
        (s.store.display(cube).to_string(), s.store.display(s.formulas[1]).to_string());
    if cube_text != expected || projection.exact != exact {
        println!("{formula} -> {cube_text} {}", projection.exact);
    }
    assert!(holds(&s.store, cube, &model));
    is_free_of(&s.store, cube, s.formulas[0], &vars);
}

#[test]
fn all() {
    // definitions
    check(
        "(and (= a (store b i 3)) (= (select a j) x))",
        &[("i", "1"), ("j", "2"), ("a", "(store ((as const (Array Int Int)) 0) 1 3)")],
        "a",
        "true",
        false,
    );
    check(
        "(and (= l (cons i m)) (= (head l) 3))",
        &[("i", "3"), ("l", "(cons 3 nil)")],
        "l",
        "(= i 3)",
        true,
    );
    check("(and (= (* 2 x) y) (= (f x) 3))", &[("x", "1"), ("y", "2"), ("f", "3")], "x", "true", true);
    check("(and (not (= l m)) (not (= l n)))", &[("l", "(cons 3 nil)")], "l", "true", true);
    check("(and (not (= d e)) (not (= d red)))", &[("d", "green")], "d", "true", true);
    check("(not (= a b))", &[("a", "((as const (Array Int Int)) 1)")], "a", "true", true);
}
