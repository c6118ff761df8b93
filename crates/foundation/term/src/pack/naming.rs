//! Between stores and notes: terms become text, and text terms.
//!
//! A term belongs to one store; it comes into another one as text. A [`Naming`] says which variables of a store the
//! names `x0`, `x1`, … and `y0`, `y1`, … stand for, and what it reads is over these variables or refused. The sorts
//! of the variables and of their parts are numbered in the order in which they are found; constructors, selectors,
//! testers, sizes and constant arrays are named by these numbers, so that no name of the input is needed.

use std::collections::BTreeMap;

use crate::smtlib::{Lexer, Reader};
use crate::{Role, Sort, Store, Symbol, Term};

use super::formula::{Formula, FormulaLimits};

/// The variables that the names in formulas stand for.
#[derive(Clone, Debug)]
pub struct Naming {
    /// The names of the variables, and those of constructors, selectors, testers and sizes.
    names: BTreeMap<Symbol, String>,
    /// The names of constant arrays, by their sorts.
    constant_arrays: BTreeMap<Sort, String>,
    reader: Reader,
}

impl Naming {
    /// Names for the variables of a state, and perhaps of a later one.
    pub fn new(store: &mut Store, state: &[Term], later: &[Term]) -> Naming {
        Naming::with_functions(store, state, later, &[], &[])
    }

    /// The same with names `f0`, `f1`, … for functions. These sorts count among those of the variables, for constructors
    /// that no variable has.
    pub fn with_functions(
        store: &mut Store,
        state: &[Term],
        later: &[Term],
        others: &[Sort],
        functions: &[Symbol],
    ) -> Naming {
        let mut reader = Reader::new();
        reader.set_bit_vectors(true);
        let mut names = BTreeMap::new();
        let mut constant_arrays = BTreeMap::new();
        let mut sorts = Vec::new();
        for (prefix, list) in [('x', state), ('y', later)] {
            for (at, &variable) in list.iter().enumerate() {
                let name = format!("{prefix}{at}");
                reader.name_term(&name, variable);
                names.insert(store.as_var(variable).expect("a variable"), name);
                sorts.push(store.sort(variable));
            }
        }
        for (number, &function) in functions.iter().enumerate() {
            let name = format!("f{number}");
            match store.signature(function).args.is_empty() {
                true => reader.name_term(&name, store.var(function)),
                false => reader.name_function(&name, function),
            }
            names.insert(function, name);
        }
        sorts.extend_from_slice(others);
        for (number, sort) in store.parts_of_sorts(&sorts).into_iter().enumerate() {
            if sort.is_array() {
                let symbol = store.constant_array_symbol(sort);
                let name = format!("k{number}");
                reader.name_function(&name, symbol);
                constant_arrays.insert(sort, name);
            }
            if let Some(id) = sort.as_datatype() {
                if store.datatype(id).is_recursive() {
                    let symbol = store.size_of_datatype(id).symbol;
                    let name = format!("z{number}");
                    reader.name_function(&name, symbol);
                    names.insert(symbol, name);
                }
                let constructors = store.datatype(id).constructors().to_vec();
                for (at, constructor) in constructors.into_iter().enumerate() {
                    let name = format!("c{number}.{at}");
                    match constructor.selectors.is_empty() {
                        true => reader.name_term(&name, store.construct(constructor.symbol, &[])),
                        false => reader.name_function(&name, constructor.symbol),
                    }
                    names.insert(constructor.symbol, name);
                    let name = format!("t{number}.{at}");
                    reader.name_function(&name, constructor.tester);
                    names.insert(constructor.tester, name);
                    for (field, &selector) in constructor.selectors.iter().enumerate() {
                        let name = format!("s{number}.{at}.{field}");
                        reader.name_function(&name, selector);
                        names.insert(selector, name);
                    }
                }
            }
        }
        Naming { names, constant_arrays, reader }
    }

    /// The text of a formula; `None` if it has other variables or sorts, or exceeds the limits.
    pub fn export(&self, store: &Store, formula: Term, limits: FormulaLimits) -> Option<Formula> {
        let name = |symbol| match self.names.get(&symbol) {
            None if store.role(symbol) == Role::ConstantArray => {
                self.constant_arrays.get(&store.signature(symbol).result).map(String::as_str)
            }
            found => found.map(String::as_str),
        };
        let free = store.free_variables(&[formula]);
        if free.iter().any(|&v| store.as_var(v).and_then(name).is_none()) {
            return None;
        }
        Formula::new(&store.display(formula).with_symbols(&name).to_string(), limits).ok()
    }

    /// The formula of this text; `None` if it is ill-sorted, or has other variables or quantifiers.
    pub fn import(&mut self, store: &mut Store, formula: &Formula) -> Option<Term> {
        self.import_quantified(store, formula).filter(|&term| !store.has_quantifier(term))
    }

    /// The formula of this text, perhaps with quantifiers; `None` if it is ill-sorted or has other variables.
    pub fn import_quantified(&mut self, store: &mut Store, formula: &Formula) -> Option<Term> {
        self.import_term(store, formula).filter(|&term| store.sort(term) == Sort::Bool)
    }

    /// The term of this text, of any sort and perhaps with quantifiers.
    pub fn import_term(&mut self, store: &mut Store, text: &Formula) -> Option<Term> {
        let mut lexer = Lexer::new(text.text()).ok()?;
        self.reader.read_term(&mut lexer, store).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bit_vectors_go_from_store_to_store() {
        let word = Sort::bit_vec(12).expect("a width");
        let variables = |store: &mut Store| ["a", "b"].map(|name| store.variable(name, word));
        let mut one = Store::new();
        let state = variables(&mut one);
        let [x, y] = state;
        let (sum, product) = (one.bv_add(&[x, y]), one.bv_mul(&[x, y]));
        let (part, number) = (one.bv_extract(5, 3, x), one.bv_extract(7, 0, product));
        let (three, small) = (one.bv_extract(2, 0, y), one.bv_ule(sum, y));
        let (wide, other) = (one.bv_sign_extend(4, number), one.bv_sle(product, x));
        let (equal, same) = (one.eq(wide, sum), one.eq(part, three));
        let formula = one.or(&[!small, other, !equal, same]);
        let naming = Naming::new(&mut one, &state, &[]);
        let text = naming.export(&one, formula, FormulaLimits::LEMMA).expect("over these");

        let mut two = Store::new();
        let state = variables(&mut two);
        let read = Naming::new(&mut two, &state, &[]).import(&mut two, &text).expect("a formula");
        let again = Naming::new(&mut two, &state, &[]).export(&two, read, FormulaLimits::LEMMA);
        assert_eq!(again.as_ref(), Some(&text));
    }

    #[test]
    fn formulas_go_from_store_to_store() {
        let mut one = Store::new();
        let state = [one.variable("p#0", Sort::Int), one.variable("b", Sort::Bool)];
        let later = [one.variable("p#0'", Sort::Int), one.variable("b'", Sort::Bool)];
        let naming = Naming::new(&mut one, &state, &later);
        let five = one.int(5);
        let small = one.le(state[0], five);
        let grows = one.lt(state[0], later[0]);
        let export = |formula| naming.export(&one, formula, FormulaLimits::LEMMA).expect("over these");
        let texts = [small, grows, !state[1], later[1]].map(export);
        assert_eq!(texts.each_ref().map(Formula::text), ["(<= x0 5)", texts[1].text(), "(not x1)", "y1"]);

        let mut two = Store::new();
        two.variable("something else", Sort::Real);
        // The names of the format are no names of the store.
        let x0 = two.variable("x0", Sort::Real);
        let state = [two.variable("z", Sort::Int), two.variable("c", Sort::Bool)];
        let later = [two.variable("w", Sort::Int), two.variable("d", Sort::Bool)];
        let mut naming = Naming::new(&mut two, &state, &later);
        for text in texts {
            let term = naming.import(&mut two, &text).expect("a formula");
            assert_eq!(naming.export(&two, term, FormulaLimits::LEMMA), Some(text));
            assert!(!two.free_variables(&[term]).contains(&x0));
        }
        let other = two.variable("elsewhere", Sort::Bool);
        assert_eq!(naming.export(&two, other, FormulaLimits::LEMMA), None);
        for wrong in ["x0", "(and x0 x1)", "x2", "(select x0 0)", "(+ x0 1)", "(t0.0 x0)", "(= c0.0 x0)"] {
            let formula = Formula::new(wrong, FormulaLimits::LEMMA).expect("no symbol is wrong");
            assert_eq!(naming.import(&mut two, &formula), None, "{wrong}");
        }
        let right = Formula::new("(let ((a (<= x0 5))) (or a x1))", FormulaLimits::LEMMA).unwrap();
        assert!(naming.import(&mut two, &right).is_some());
        let quantified = Formula::new("(forall ((i Int)) (or (<= x0 i) x1))", FormulaLimits::LEMMA).unwrap();
        assert_eq!(naming.import(&mut two, &quantified), None);
        let of_bits = "(forall ((i (_ BitVec 4))) (or (bvule i #x5) x1))";
        let of_bits = Formula::new(of_bits, FormulaLimits::LEMMA).unwrap();
        assert!(naming.import_quantified(&mut two, &of_bits).is_some());
        let term = naming.import_quantified(&mut two, &quantified).expect("a formula");
        let again = naming.export(&two, term, FormulaLimits::LEMMA).expect("over these");
        assert_eq!(
            naming.import_quantified(&mut two, &again).map(|t| two.free_variables(&[t]).len()),
            Some(2)
        );
    }

    /// Arrays and datatypes go without their names, and two instances of a datatype are kept apart.
    #[test]
    fn formulas_of_all_sorts_go_from_store_to_store() {
        const SORTS: &str = "(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T)))))))
            (declare-const a (List Int)) (declare-const b (Array Int (List Bool))) (declare-const c (List Bool))";
        let read = |store: &mut Store, before: &str| {
            let text = format!("{before}{SORTS}");
            let (mut reader, mut lexer) = (Reader::new(), Lexer::new(&text).expect("a text"));
            while reader.next_command(&mut lexer, store).expect("a command").is_some() {}
            let last = reader.declarations().len() - 3;
            let state: Vec<Term> =
                reader.declarations()[last..].iter().map(|d| store.var(d.symbol)).collect();
            (reader, state)
        };
        let (mut one, mut two) = (Store::new(), Store::new());
        let (mut reader, state) = read(&mut one, "");
        let before = "(declare-sort U 0) (declare-datatype Other ((other (u U)))) (declare-const o Other)";
        let (_, other) = read(&mut two, before);
        let mut names = Naming::new(&mut one, &state, &[]);
        let mut other_names = Naming::new(&mut two, &other, &[]);
        for text in [
            "(= a (cons 3 (as nil (List Int))))",
            "(and ((_ is cons) c) (head c) (= (tail c) (as nil (List Bool))))",
            "(= b (store ((as const (Array Int (List Bool))) c) 4 (cons true c)))",
            "(or (= (select b 1) c) (not ((_ is nil) a)) (> (* (head a) (head (tail a))) 0))",
        ] {
            let mut lexer = Lexer::new(text).expect("a text");
            let term = reader.read_term(&mut lexer, &mut one).expect("a term");
            let sent = names.export(&one, term, FormulaLimits::LEMMA).unwrap_or_else(|| panic!("{text}"));
            let found = other_names.import(&mut two, &sent).unwrap_or_else(|| panic!("{text}: {sent:?}"));
            assert_eq!(other_names.export(&two, found, FormulaLimits::LEMMA).as_ref(), Some(&sent));
            assert_eq!(names.import(&mut one, &sent), Some(term), "{text}: {sent:?}");
        }
    }
}
