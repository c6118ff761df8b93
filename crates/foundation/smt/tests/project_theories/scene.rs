//! Formulas and models written down as text.

use std::collections::BTreeMap;

use shem_smt::{FunctionTable, Model};
use shem_term::smtlib::{Command, Lexer, Reader};
use shem_term::{Sort, Store, Symbol, Term, Value};

/// The sorts and symbols of all scenes.
pub const DECLARATIONS: &str = "
(declare-sort U 0)
(declare-datatypes ((List 0) (Pair 0) (Color 0) (Record 0) (Tree 0) (Forest 0)) (
  ((nil) (cons (head Int) (tail List)))
  ((pair (first Int) (second List)))
  ((red) (green) (blue))
  ((record (cells (Array Int Int)) (size Int)) (broken (code Int)))
  ((leaf (label Int)) (node (children Forest)))
  ((none) (more (tree Tree) (rest Forest)))))
(declare-fun i () Int) (declare-fun j () Int) (declare-fun k () Int)
(declare-fun x () Int) (declare-fun y () Int) (declare-fun r () Real) (declare-fun t () Bool)
(declare-fun a () (Array Int Int)) (declare-fun b () (Array Int Int)) (declare-fun c () (Array Int Int))
(declare-fun aa () (Array Int (Array Int Int))) (declare-fun bb () (Array Int (Array Int Int)))
(declare-fun ab () (Array Int Bool)) (declare-fun ac () (Array Color Int)) (declare-fun bc () (Array Color Int))
(declare-fun al () (Array List Int)) (declare-fun bl () (Array List Int))
(declare-fun l () List) (declare-fun m () List) (declare-fun n () List)
(declare-fun p () Pair) (declare-fun q () Pair) (declare-fun d () Color) (declare-fun e () Color)
(declare-fun s () Record) (declare-fun w () Record) (declare-fun o () Tree) (declare-fun z () Tree)
(declare-fun u () U) (declare-fun v () U)
(declare-fun f (Int) Int) (declare-fun g (U) U) (declare-fun h (List) Int) (declare-fun on (Bool) Int)
(declare-fun of ((Array Int Int)) Int)
";

/// A store with the symbols above, and formulas read into it.
pub struct Scene {
    pub store: Store,
    symbols: BTreeMap<String, Symbol>,
    pub formulas: Vec<Term>,
    values: Vec<Vec<Term>>,
}

/// Reads formulas, and lists of closed terms.
#[track_caller]
fn read(formulas: &[&str], lists: &[&str]) -> Scene {
    let mut text = DECLARATIONS.to_owned();
    for formula in formulas {
        text += &format!("(assert {formula})");
    }
    for list in lists {
        text += &format!("(get-value ({list}))");
    }
    let mut scene =
        Scene { store: Store::new(), symbols: BTreeMap::new(), formulas: Vec::new(), values: Vec::new() };
    let mut reader = Reader::new();
    let mut lexer = Lexer::new(&text).unwrap();
    while let Some((command, _)) = reader.next_command(&mut lexer, &mut scene.store).unwrap() {
        match command {
            Command::Declare(symbol) => {
                scene.symbols.insert(scene.store.name(symbol).to_owned(), symbol);
            }
            Command::Assert { formula, .. } => scene.formulas.push(formula),
            Command::GetValue(terms) => scene.values.push(terms.into_iter().map(|t| t.term).collect()),
            _ => {}
        }
    }
    let sorts: Vec<Sort> = scene.symbols.values().map(|&s| scene.store.signature(s).result).collect();
    for sort in sorts {
        let Some(id) = sort.as_datatype() else { continue };
        for constructor in scene.store.datatype(id).constructors() {
            for &selector in &constructor.selectors {
                scene.symbols.insert(scene.store.name(selector).to_owned(), selector);
            }
        }
    }
    scene
}

/// Names with their values; for a function, arguments and values one after the other and at the end the value
/// elsewhere.
pub type Entries<'a> = [(&'a str, &'a str)];

impl Scene {
    /// The formulas and a model.
    #[track_caller]
    pub fn new(formulas: &[&str], model: &Entries<'_>) -> (Scene, Model) {
        let (scene, mut models) = Scene::with_models(formulas, &[model]);
        (scene, models.remove(0))
    }

    /// The formulas and several models.
    #[track_caller]
    pub fn with_models(formulas: &[&str], models: &[&Entries<'_>]) -> (Scene, Vec<Model>) {
        let entries: Vec<(&str, &str)> = models.concat();
        let lists: Vec<&str> = entries.iter().map(|entry| entry.1).collect();
        let mut scene = read(formulas, &lists);
        let mut lists = std::mem::take(&mut scene.values).into_iter();
        let models = models.iter().map(|entries| {
            let mut result = Model::default();
            for (&(name, _), terms) in entries.iter().zip(lists.by_ref()) {
                scene.insert(&mut result, name, &terms);
            }
            result
        });
        let models = models.collect();
        (scene, models)
    }

    fn insert(&self, model: &mut Model, name: &str, terms: &[Term]) {
        let symbol = self.symbols[name];
        let none = |_: Symbol| None;
        let mut values: Vec<Value> =
            terms.iter().map(|&term| self.store.evaluate(term, &none).unwrap()).collect();
        let last = values.pop().unwrap();
        let arity = self.store.signature(symbol).args.len();
        if arity == 0 {
            model.insert(symbol, last);
            return;
        }
        let mut table = FunctionTable::new(last);
        for entry in values.chunks(arity + 1) {
            table.set(entry[..arity].to_vec(), entry[arity].clone());
        }
        model.insert_function(symbol, table);
    }

    /// The variables with these names.
    pub fn vars(&mut self, names: &str) -> Vec<Term> {
        names.split_whitespace().map(|name| self.store.var(self.symbols[name])).collect()
    }

    /// The symbol with this name.
    pub fn symbol(&self, name: &str) -> Symbol {
        self.symbols[name]
    }
}
