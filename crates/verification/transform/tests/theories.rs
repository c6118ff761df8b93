//! Small graphs with records, enumerations, sums and arrays on which it is known what the passes do.

use shem_term::{Sort, View};
use shem_transform::{
    Collapse, Flatten, Free, IntBlast, Pipeline, Propagate, Scalars, Simplify, Slice, WordInvariants,
};

use crate::case::{Case, run, with};

const SORTS: &str = "
    (declare-datatypes ((Color 0)) (((red) (green) (blue))))
    (declare-datatypes ((Side 0)) (((left) (right))))
    (declare-datatypes ((Pair 0)) (((pair (fst Int) (snd Bool)))))
    (declare-datatypes ((State 0)) (((state (who Pair) (memory (Array Int Int)) (lamp Color)))))
    (declare-datatypes ((Shape 0)) (((circle (radius Int)) (rectangle (width Int) (corner Pair)) (dot))))
    (declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
    ";

fn flatten(clauses: &str) -> Case {
    with(&format!("{SORTS}{clauses}"), Flatten)
}

/// The sorts of the arguments that are left.
fn sorts(case: &Case) -> Vec<Sort> {
    let graph = &case.done.graph;
    graph.vertices().flat_map(|vertex| graph.vertex(vertex).sorts().to_vec()).collect()
}

fn has_no_datatypes(case: &Case) -> bool {
    let labels: Vec<_> = case.done.graph.edges().map(|(_, edge)| edge.label).collect();
    let is_datatype = |sort: &Sort| sort.is_datatype();
    let terms = case.store.subterms(&labels);
    !sorts(case).iter().any(is_datatype) && !terms.iter().any(|&term| is_datatype(&case.store.sort(term)))
}

#[test]
fn a_record_becomes_its_fields() {
    let clauses = "(declare-fun p (Pair Int) Bool)
        (assert (p (pair 0 true) 7))
        (assert (forall ((a Pair) (b Pair) (n Int))
          (=> (and (p a n) (= (fst b) (+ 1 (fst a))) (= (snd b) (not (snd a))) (< (fst a) 3)) (p b n))))";
    let safe =
        format!("{clauses}(assert (forall ((a Pair) (n Int)) (=> (and (p a n) (= a (pair 3 true))) false)))");
    let case = flatten(&safe).confirm(true);
    assert_eq!(sorts(&case), [Sort::Int, Sort::Bool, Sort::Int]);
    assert!(has_no_datatypes(&case));
    let unsafe_ = format!(
        "{clauses}(assert (forall ((a Pair) (n Int)) (=> (and (p a n) (= a (pair 3 false))) false)))"
    );
    assert!(has_no_datatypes(&flatten(&unsafe_).confirm(false)));
}

#[test]
fn records_in_records_and_arrays_in_records() {
    let clauses = "(declare-fun p (State) Bool)
        (assert (forall ((m (Array Int Int)))
          (=> (= m ((as const (Array Int Int)) 0)) (p (state (pair 0 true) m red)))))
        (assert (forall ((s State)) (=> (and (p s) (< (fst (who s)) 2))
          (p (state (pair (+ (fst (who s)) 1) false) (store (memory s) (fst (who s)) 5) (lamp s))))))";
    let safe = format!(
        "{clauses}(assert (forall ((s State)) (=> (and (p s) (= (select (memory s) 1) 5)) (= (lamp s) red))))"
    );
    let case = flatten(&safe).confirm(true);
    assert_eq!(sorts(&case).len(), 4);
    assert!(has_no_datatypes(&case));
    let unsafe_ =
        format!("{clauses}(assert (forall ((s State)) (=> (and (p s) (= (select (memory s) 1) 5)) false)))");
    flatten(&unsafe_).confirm(false);
}

#[test]
fn an_array_of_records_stays_whole() {
    let clauses = "(declare-fun p ((Array Int Pair) Int) Bool)
        (assert (forall ((a (Array Int Pair))) (=> (= a ((as const (Array Int Pair)) (pair 1 true))) (p a 0))))
        (assert (forall ((a (Array Int Pair)) (b (Array Int Pair)) (i Int) (x Pair))
          (=> (and (p a i) (< i 2) (= x (select a i)) (= b (store a (+ i 1) (pair (+ (fst x) 1) (snd x)))))
              (p b (+ i 1)))))";
    let safe = format!(
        "{clauses}(assert (forall ((a (Array Int Pair)) (i Int)) (=> (p a i) (= (fst (select a i)) (+ i 1)))))"
    );
    let case = flatten(&safe).confirm(true);
    assert!(matches!(sorts(&case)[..], [Sort::Array(_), Sort::Int]));
    let unsafe_ = format!(
        "{clauses}(assert (forall ((a (Array Int Pair)) (i Int)) (=> (and (p a i) (= (fst (select a i)) 3)) false)))"
    );
    flatten(&unsafe_).confirm(false);
}

#[test]
fn the_tag_of_an_enumeration_has_a_range() {
    let clauses = "(declare-fun p (Color Side) Bool)
        (assert (forall ((c Color) (s Side)) (p c s)))";
    let safe = format!(
        "{clauses}(assert (forall ((c Color) (s Side))
           (=> (and (p c s) (not (= c red)) (not (= c green))) (= c blue))))
         (assert (forall ((c Color) (s Side)) (=> (and (p c s) (not (= s left))) (= s right))))"
    );
    let case = flatten(&safe).confirm(true);
    assert_eq!(sorts(&case), [Sort::Int, Sort::Bool]);
    let unsafe_ = format!(
        "{clauses}(assert (forall ((c Color) (s Side)) (=> (and (p c s) (not (= c red))) (= s right))))"
    );
    flatten(&unsafe_).confirm(false);
}

#[test]
fn a_value_of_a_sum_has_one_image() {
    // The fields of other constructors must not tell two dots apart.
    let clauses = "(declare-fun p (Shape) Bool)(declare-fun q (Shape) Bool)
        (assert (forall ((s Shape)) (=> (or (= s dot) (= s (circle 1)) (= s (rectangle 2 (pair 3 true)))) (p s))))
        (assert (forall ((s Shape)) (=> (and (p s) (not ((_ is circle) s))) (q s))))";
    let safe = format!(
        "{clauses}(assert (forall ((s Shape) (t Shape))
           (=> (and (q s) (q t) (not (= s t)) ((_ is dot) s)) (= (fst (corner t)) 3))))"
    );
    let case = flatten(&safe).confirm(true);
    assert!(!has_no_datatypes(&case), "it is not said of t which constructor it has");
    let shape = [Sort::Int, Sort::Int, Sort::Int, Sort::Int, Sort::Bool];
    assert_eq!(sorts(&case), [shape, shape].concat());
    let unsafe_ = format!(
        "{clauses}(assert (forall ((s Shape)) (=> (and (q s) ((_ is rectangle) s)) (not (= (width s) 2)))))"
    );
    let case = flatten(&unsafe_).confirm(false);
    assert!(has_no_datatypes(&case), "the constructor is known where a field is taken");
}

#[test]
fn a_selector_of_another_constructor_keeps_its_value() {
    let clauses = "(declare-fun p (Shape) Bool)(assert (p dot))";
    // Some value, always the same.
    let safe = format!(
        "{clauses}(assert (forall ((s Shape) (t Shape)) (=> (and (p s) (p t)) (= (radius s) (radius t)))))"
    );
    flatten(&safe).confirm(true);
    let unsafe_ = format!("{clauses}(assert (forall ((s Shape)) (=> (p s) (= (radius s) 5))))");
    flatten(&unsafe_).confirm(false);
}

#[test]
fn recursive_datatypes_stay() {
    let clauses = "(declare-fun p (List Pair) Bool)
        (assert (p nil (pair 0 true)))
        (assert (forall ((l List) (a Pair)) (=> (and (p l a) (< (fst a) 2))
          (p (cons (fst a) l) (pair (+ (fst a) 1) (snd a))))))";
    let safe =
        format!("{clauses}(assert (forall ((l List) (a Pair)) (=> (and (p l a) (= l nil)) (= (fst a) 0))))");
    let case = flatten(&safe).confirm(true);
    assert!(matches!(sorts(&case)[..], [Sort::Datatype(_), Sort::Int, Sort::Bool]));
    let unsafe_ = format!(
        "{clauses}(assert (forall ((l List) (a Pair)) (=> (p l a) (not (= l (cons 1 (cons 0 nil)))))))"
    );
    flatten(&unsafe_).confirm(false);
}

/// Two calls with one state that nobody looks at.
const CALLS: &str = "(declare-fun f (Int (Array Int Int)) Bool)(declare-fun g (Int (Array Int Int)) Bool)
    (assert (forall ((x Int) (a (Array Int Int))) (=> (and (<= 0 x) (<= x 1)) (f x a))))
    (assert (forall ((x Int) (a (Array Int Int)) (b (Array Int Int))) (=> (and (f x a) (= a b)) (g (+ x 1) b))))";

#[test]
fn what_is_only_compared_goes() {
    let safe = format!(
        "{CALLS}(assert (forall ((x Int) (y Int) (a (Array Int Int))) (=> (and (f x a) (g y a)) (<= x (+ y 1)))))"
    );
    let case = with(&safe, Collapse).confirm(true);
    assert_eq!(sorts(&case), [Sort::Int, Sort::Int]);
    let unsafe_ = format!(
        "{CALLS}(assert (forall ((x Int) (y Int) (a (Array Int Int))) (=> (and (f x a) (g y a)) (not (= x y)))))"
    );
    let case = with(&unsafe_, Collapse).confirm(false);
    assert_eq!(sorts(&case), [Sort::Int, Sort::Int]);
    // Slicing alone does not see it.
    assert_eq!(sorts(&with(&unsafe_, Slice)).len(), 4);
}

#[test]
fn what_is_read_stays() {
    let clauses = format!(
        "{CALLS}(assert (forall ((x Int) (a (Array Int Int))) (=> (and (f x a) (= (select a 0) x)) (g x a))))"
    );
    assert_eq!(sorts(&with(&clauses, Collapse)).len(), 4);
}

#[test]
fn what_can_be_anything_goes() {
    // The callers say what the state is, and the function hands it on.
    let clauses = "(declare-fun f (Int (Array Int Int) (Array Int Int)) Bool)
        (assert (forall ((x Int) (a (Array Int Int)) (b (Array Int Int)))
          (=> (and (<= 0 x) (<= x 1) (= a b)) (f x a b))))
        (assert (forall ((x Int) (a (Array Int Int)) (b (Array Int Int)) (c (Array Int Int)))
          (=> (and (f x a b) (f 1 b c) (< x 1)) (f (+ x 2) a c))))";
    let safe = format!(
        "{clauses}(assert (forall ((x Int) (a (Array Int Int)) (b (Array Int Int)))
           (=> (and (f x (store a 0 1) b) (< (select b 0) 1)) false)))"
    );
    let case = with(&safe, Free).confirm(true);
    assert_eq!(sorts(&case), [Sort::Int]);
    // Both facts are needed twice, with different states.
    let unsafe_ = format!(
        "{clauses}(assert (forall ((x Int) (a (Array Int Int)) (b (Array Int Int)) (c (Array Int Int)))
           (=> (and (f 2 (store a 0 1) b) (f 2 (store a 0 2) c) (= (select b 0) 1) (= (select c 0) 2)) false)))"
    );
    let case = with(&unsafe_, Free).confirm(false);
    assert_eq!(sorts(&case), [Sort::Int]);
    assert_eq!(case.statistics.count("free.arguments"), 2);
}

#[test]
fn what_one_edge_binds_is_not_free() {
    let clauses = "(declare-fun f ((Array Int Int) (Array Int Int)) Bool)
        (assert (forall ((a (Array Int Int))) (f a a)))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int))) (=> (= (select a 0) 1) (f a b))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)))
          (=> (and (f a b) (= (select a 1) 2) (= (select b 1) 3)) false)))";
    assert_eq!(sorts(&with(clauses, Free)).len(), 2);
}

#[test]
fn auxiliary_arrays_become_numbers() {
    let clauses = "(declare-fun p (Int (Array Int Int)) Bool)
        (assert (forall ((i Int) (a (Array Int Int)) (b (Array Int Int)))
          (=> (and (= b (store a i (+ (select a i) 1))) (> (select a i) 5) (= (select a 3) 0)
                   (= b (store ((as const (Array Int Int)) 0) 2 7)) (<= 0 i) (<= i 4)) (p i b))))
        (assert (forall ((i Int) (a (Array Int Int))) (=> (p i a) false)))";
    let case = with(clauses, Simplify::default()).confirm(false);
    let graph = &case.done.graph;
    for (_, edge) in graph.edges() {
        let auxiliaries = graph.auxiliaries(&case.store, edge);
        assert!(auxiliaries.iter().all(|&v| !case.store.sort(v).is_array()));
    }
}

#[test]
fn a_state_that_is_handed_on_leaves_nothing() {
    let clauses = "(declare-datatypes ((Env 0)) (((env (sender Int) (data (Array Int Int))))))
        (declare-fun body (Int Env State State) Bool)(declare-fun call (Int Env State State) Bool)
        (declare-fun loop (Env State) Bool)
        (assert (forall ((e Env) (s State)) (loop e s)))
        (assert (forall ((x Int) (e Env) (s State) (t State))
          (=> (and (= x 0) (= s t) (>= (sender e) 0)) (body x e s t))))
        (assert (forall ((x Int) (e Env) (s State) (t State)) (=> (body x e s t) (call x e s t))))
        (assert (forall ((x Int) (e Env) (s State) (t State))
          (=> (and (loop e s) (call x e s t) (= x 0)) (loop e t))))
        (assert (forall ((x Int) (e Env) (s State) (t State))
          (=> (and (loop e s) (call x e s t) (= x 1)) false)))";
    let case = run(&format!("{SORTS}{clauses}"), &Pipeline::standard());
    assert_eq!(case.size(), (0, 0));
    assert!(case.decided());
}

/// The argument `me` is the same everywhere; arrays are looked at there and at numerals.
const ACCOUNTS: &str = "(declare-fun p (Int (Array Int Int) Int) Bool)(declare-fun q (Int (Array Int Int)) Bool)
    (assert (forall ((me Int) (a (Array Int Int)))
      (=> (and (<= 0 me) (<= me 1) (= a ((as const (Array Int Int)) 0))) (p me a 0))))
    (assert (forall ((me Int) (a (Array Int Int)) (b (Array Int Int)) (n Int))
      (=> (and (p me a n) (< n 2) (or (= b (store a me (+ (select a me) 1))) (= b (store a 1 5)))) (p me b (+ n 1)))))
    (assert (forall ((me Int) (a (Array Int Int)) (n Int)) (=> (and (p me a n) (= n 2)) (q me a))))";

#[test]
fn arrays_looked_at_in_few_places_become_numbers() {
    let safe = format!(
        "{ACCOUNTS}(assert (forall ((me Int) (a (Array Int Int))) (=> (and (q me a) (= me 0)) (<= (select a 0) 2))))"
    );
    let case = with(&safe, Scalars).confirm(true);
    assert!(sorts(&case).iter().all(|sort| *sort == Sort::Int));
    // If me is 1, both writes are at one place.
    let unsafe_ = format!(
        "{ACCOUNTS}(assert (forall ((me Int) (a (Array Int Int)))
           (=> (and (q me a) (= (select a me) 6) (= (select a 1) 6)) false)))"
    );
    let case = with(&unsafe_, Scalars).confirm(false);
    assert!(sorts(&case).iter().all(|sort| *sort == Sort::Int));
    let alias = format!(
        "{ACCOUNTS}(assert (forall ((me Int) (a (Array Int Int)))
           (=> (and (q me a) (= me 1)) (= (select a me) (select a 1)))))"
    );
    with(&alias, Scalars).confirm(true);
}

#[test]
fn two_arrays_that_are_compared_stay_if_they_may_differ() {
    let clauses = "(declare-fun p ((Array Int Int)) Bool)
        (assert (forall ((a (Array Int Int))) (=> (= (select a 0) 0) (p a))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int))) (=> (and (p a) (p b)) (= a b))))";
    assert!(matches!(sorts(&with(clauses, Scalars))[..], [Sort::Array(_)]));
    // Whether they are equal does not matter where it may be true only.
    let clauses = "(declare-fun p ((Array Int Int)) Bool)
        (assert (forall ((a (Array Int Int))) (=> (and (<= 0 (select a 0)) (<= (select a 0) 3)) (p a))))
        (assert (forall ((a (Array Int Int)) (b (Array Int Int)))
          (=> (and (p a) (p b) (= a b) (> (select a 0) 2) (< (select b 0) 4)) false)))";
    assert_eq!(sorts(&with(clauses, Scalars).confirm(false)), [Sort::Int]);
}

#[test]
fn an_argument_that_changes_does_not_count_as_a_place() {
    let clauses = "(declare-fun p (Int (Array Int Int)) Bool)
        (assert (forall ((a (Array Int Int))) (=> (= a ((as const (Array Int Int)) 0)) (p 0 a))))
        (assert (forall ((i Int) (a (Array Int Int))) (=> (p i a) (p (+ i 1) (store a i 1)))))
        (assert (forall ((i Int) (a (Array Int Int))) (=> (and (p i a) (= (select a i) 1)) false)))";
    assert!(matches!(sorts(&with(clauses, Scalars))[..], [Sort::Int, Sort::Array(_)]));
}

/// A counter of three bits that wraps around, read with a sign, beside one of two bits without.
#[test]
fn bit_vectors_become_integers() {
    let clauses = "(declare-fun p ((_ BitVec 3) (_ BitVec 2) Bool) Bool)
        (assert (p #b010 #b11 true))
        (assert (forall ((x (_ BitVec 3)) (y (_ BitVec 2)) (b Bool))
          (=> (and (p x y b) (bvslt x #b011)) (p (bvadd x #b001) (bvadd y #b11) (not b)))))
        (assert (forall ((x (_ BitVec 3)) (y (_ BitVec 2)) (b Bool))
          (=> (and (p x y b) b (bvugt y #b01)) (p (bvmul #b011 x) (bvnot y) b))))";
    let case = with(
        &format!(
            "{clauses}(assert (forall ((x (_ BitVec 3)) (y (_ BitVec 2)) (b Bool))
        (=> (and (p x y b) (= x #b010) (not b)) false)))"
        ),
        IntBlast,
    )
    .confirm(true);
    assert_eq!(sorts(&case), [Sort::Int, Sort::Int, Sort::Bool]);
    let labels: Vec<_> = case.done.graph.edges().map(|(_, edge)| edge.label).collect();
    let terms = case.store.subterms(&labels);
    assert!(terms.iter().all(|&term| case.store.sort(term).bit_width().is_none()));
    with(
        &format!(
            "{clauses}(assert (forall ((x (_ BitVec 3)) (y (_ BitVec 2)) (b Bool))
        (=> (and (p x y b) (bvslt x #b000)) false)))"
        ),
        IntBlast,
    )
    .confirm(false);
    // Common bits of two unknown numbers stay.
    let stays = "(declare-fun q ((_ BitVec 16) (_ BitVec 16)) Bool)
        (assert (forall ((x (_ BitVec 16)) (y (_ BitVec 16))) (=> (= (bvand x y) #x0001) (q x y))))";
    assert!(sorts(&with(stays, IntBlast)).iter().all(|sort| sort.bit_width().is_some()));
}

/// Two loops one after the other, with a counter of four bits that stays below ten in both, and one that passes zero. What
/// the first one knows of the counter, the second one has to be told.
const LOOPS: &str = "(declare-fun p ((_ BitVec 4) (_ BitVec 4)) Bool) (declare-fun q ((_ BitVec 4) (_ BitVec 4)) Bool)
    (assert (p #x0 #xe))
    (assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4)))
      (=> (and (p x y) (bvult x #x9) (not (= y #x2))) (p (bvadd x #x1) (bvadd y #x1)))))
    (assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4))) (=> (p x y) (q x y))))
    (assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4))) (=> (and (q x y) (not (= x #x0))) (q (bvadd x #xf) y))))";

/// Whether no sum of a label is told apart by cases.
fn has_no_wraps(case: &Case) -> bool {
    let labels: Vec<_> = case.done.graph.edges().map(|(_, edge)| edge.label).collect();
    let is_case = |term| matches!(case.store.view(term), View::Ite(..) | View::Mod(..) | View::Div(..));
    let is_choice = |label| {
        let conjuncts = case.store.conjuncts(label);
        conjuncts.iter().any(|part| matches!(case.store.view(*part), View::And(_)) && part.is_negated())
    };
    !case.store.subterms(&labels).into_iter().any(is_case) && !labels.into_iter().any(is_choice)
}

#[test]
fn arcs_go_through_predicates() {
    let query = |bad: &str| {
        format!("{LOOPS}(assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4))) (=> (and (q x y) {bad}) false)))")
    };
    // The counter that passes zero is read with a sign, the other one stays below ten.
    let case = with(&query("(bvugt x #x9)"), IntBlast).confirm(true);
    assert_eq!(sorts(&case), [Sort::Int; 4]);
    assert!(has_no_wraps(&case));
    with(&query("(= x #x3) (= y #x2)"), IntBlast).confirm(false);
    // Without the guard the counter wraps around.
    let wraps = with(&query("(bvugt x #x9)").replace("(bvult x #x9)", "true"), IntBlast);
    assert!(!has_no_wraps(&wraps));
    // A vertex that arcs show to have no facts.
    let never = query("true").replace("(=> (p x y) (q x y))", "(=> (and (p x y) (= y #x5)) (q x y))");
    with(&never, IntBlast).confirm(true);
}

#[test]
fn arcs_decide_comparisons_of_bits() {
    let clauses = format!(
        "{LOOPS}(assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4))) (=> (and (q x y) (bvugt x #xd)) false)))"
    );
    let case = with(&clauses, Propagate { descents: 4, ..Propagate::default() }).confirm(true);
    // The edge to false is gone.
    assert_eq!(case.done.graph.edge_count(), 4);
}

/// A difference that stays the same is seen between integers, and said of words.
#[test]
fn invariants_of_integers_reach_words() {
    let clauses = "(declare-fun p ((_ BitVec 4) (_ BitVec 4)) Bool)
        (assert (p #x0 #x3))
        (assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4)))
          (=> (and (p x y) (bvult x #x9)) (p (bvadd x #x1) (bvadd y #x1)))))
        (assert (forall ((x (_ BitVec 4)) (y (_ BitVec 4)))
          (=> (and (p x y) (not (= y (bvadd x #x3)))) false)))";
    let case = with(clauses, WordInvariants::default()).confirm(true);
    assert!(case.statistics.get("word-invariants.labels").is_some());
    assert!(sorts(&case).iter().all(|sort| sort.bit_width() == Some(4)));
    with(&clauses.replace("(bvadd x #x3)", "(bvadd x x)"), WordInvariants::default()).confirm(false);
}
