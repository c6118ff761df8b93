//! Sorts, what datatypes know of themselves, values in their unique form, and the evaluation of each role.

use shem_base::{Int, Rat};
use shem_term::{
    Assignment, ConstructorDeclaration, DatatypeDeclaration, DatatypeError, FieldSort, Role, Sort, Store,
    Symbol, Term, Value,
};

fn constructor(name: &str, fields: &[(&str, FieldSort)]) -> ConstructorDeclaration {
    ConstructorDeclaration {
        name: name.into(),
        fields: fields.iter().map(|&(name, sort)| (name.into(), sort)).collect(),
        qualified: false,
    }
}

fn datatype(name: &str, constructors: Vec<ConstructorDeclaration>) -> DatatypeDeclaration {
    DatatypeDeclaration { name: name.into(), constructors }
}

/// An enumeration of two colors, lists of integers, and an array sort of each kind.
struct Fixture {
    store: Store,
    color: Sort,
    list: Sort,
    /// The symbols of nil, cons, head and tail.
    symbols: [Symbol; 4],
}

fn fixture() -> Fixture {
    let mut store = Store::new();
    let declaration = datatype("Color", vec![constructor("red", &[]), constructor("green", &[])]);
    let color = store.declare_datatypes(&[declaration]).expect("an enumeration")[0];
    let cons = [("head", Sort::Int.into()), ("tail", FieldSort::Member(0))];
    let declaration = datatype("List", vec![constructor("nil", &[]), constructor("cons", &cons)]);
    let list = store.declare_datatypes(&[declaration]).expect("lists")[0];
    let id = list.as_datatype().expect("a datatype");
    let [nil, cons] = store.datatype(id).constructors() else { panic!("two constructors") };
    let symbols = [nil.symbol, cons.symbol, cons.selectors[0], cons.selectors[1]];
    Fixture { store, color, list, symbols }
}

fn number(value: i64) -> Value {
    Value::Num(Rat::from(value))
}

#[test]
fn sorts_are_interned_and_printed() {
    let mut f = fixture();
    let ints = f.store.array_sort(Sort::Int, Sort::Int);
    assert_eq!(f.store.array_sort(Sort::Int, Sort::Int), ints);
    let nested = f.store.array_sort(f.color, ints);
    assert_eq!(f.store.display_sort(nested).to_string(), "(Array Color (Array Int Int))");
    assert_eq!(f.store.array_parts(nested), Some((f.color, ints)));
    assert_eq!(f.store.array_parts(f.color), None);
    let [u, v] = [(); 2].map(|()| f.store.declare_sort("a sort"));
    assert_ne!(u, v);
    assert_eq!(f.store.display_sort(u).to_string(), "|a sort|");
    let instance = f.store.declare_sort_instance("Set", &[nested, Sort::Bool]);
    assert_eq!(f.store.display_sort(instance).to_string(), "(Set (Array Color (Array Int Int)) Bool)");
}

#[test]
fn datatypes_know_their_size() {
    let mut f = fixture();
    let check = |store: &Store, sort: Sort, recursive: bool, cardinality: Option<u64>| {
        let id = sort.as_datatype().expect("a datatype");
        assert_eq!((store.datatype(id).is_recursive(), store.cardinality(sort)), (recursive, cardinality));
    };
    check(&f.store, f.color, false, Some(2));
    check(&f.store, f.list, true, None);
    let table = f.store.array_sort(f.color, Sort::Bool);
    assert_eq!(f.store.cardinality(table), Some(4));
    let fields = [("a", f.color.into()), ("b", table.into()), ("c", Sort::Bool.into())];
    let record = datatype("R", vec![constructor("mk", &fields), constructor("no", &[])]);
    let holder =
        datatype("H", vec![constructor("h", &[("hr", FieldSort::Member(0)), ("hl", f.list.into())])]);
    let sorts = f.store.declare_datatypes(&[record, holder]).expect("records");
    check(&f.store, sorts[0], false, Some(17));
    check(&f.store, sorts[1], false, None);
    let unit =
        f.store.declare_datatypes(&[datatype("Unit", vec![constructor("unit", &[])])]).expect("a unit")[0];
    let units = f.store.array_sort(Sort::Int, unit);
    assert_eq!(f.store.cardinality(units), Some(1));
    let big = f.store.array_sort(table, table);
    let bigger = f.store.array_sort(big, table);
    assert_eq!(f.store.cardinality(big), Some(256));
    assert_eq!(f.store.cardinality(bigger), Some(u64::MAX));
    // Arrays of a datatype that was announced only.
    let early = f.store.announce_datatype("Early", &[]);
    let array = f.store.array_sort(Sort::Bool, early);
    let declarations = ["e0", "e1", "e2"].map(|name| ConstructorDeclaration {
        name: name.into(),
        fields: Vec::new(),
        qualified: false,
    });
    f.store.define_datatypes(&[early], &[declarations.to_vec()]).expect("an enumeration");
    assert_eq!(f.store.cardinality(array), Some(9));
}

#[test]
fn datatypes_without_values_are_refused() {
    let mut f = fixture();
    let declare = |store: &mut Store, group: &[DatatypeDeclaration]| store.declare_datatypes(group).err();
    let own = [("x", FieldSort::Member(0))];
    let endless = datatype("E", vec![constructor("e", &own)]);
    assert_eq!(declare(&mut f.store, &[endless]), Some(DatatypeError::IllFounded(0)));
    assert_eq!(declare(&mut f.store, &[datatype("N", vec![])]), Some(DatatypeError::NoConstructor(0)));
    // A value of the second needs one of the first, which has none without one of the second.
    let first = datatype("A", vec![constructor("a", &[("ab", FieldSort::Member(1))])]);
    let second = datatype("B", vec![constructor("b", &[("ba", FieldSort::Member(0))])]);
    assert_eq!(declare(&mut f.store, &[first.clone(), second]), Some(DatatypeError::IllFounded(0)));
    // With a way out, the way is found, and the default value goes there.
    let fields = [("ba", FieldSort::Member(0)), ("bb", FieldSort::Member(1))];
    let ways = vec![constructor("b", &fields), constructor("out", &[("n", Sort::Int.into())])];
    let sorts = f.store.declare_datatypes(&[first, datatype("B", ways)]).expect("well-founded");
    let value = f.store.default_value(sorts[0]);
    assert_eq!(f.store.display_value(&value, sorts[0]).to_string(), "(a (out 0))");
}

/// Each of many datatypes contains the next: nothing recurses.
#[test]
fn long_chains_of_datatypes() {
    const LENGTH: usize = 100_000;
    let mut store = Store::new();
    let group: Vec<DatatypeDeclaration> = (0..LENGTH)
        .map(|at| {
            let last = at + 1 == LENGTH;
            let sort = if last { Sort::Bool.into() } else { FieldSort::Member(at + 1) };
            datatype(&format!("D{at}"), vec![constructor(&format!("d{at}"), &[("x", sort)])])
        })
        .collect();
    let sorts = store.declare_datatypes(&group).expect("records");
    assert_eq!(store.cardinality(sorts[0]), Some(2));
    let value = store.default_value(sorts[0]);
    let text = store.display_value(&value, sorts[0]).to_string();
    assert!(text.starts_with("(d0 (d1 ") && text.contains("(d99999 false))"));
    // All values of the sort are known where an array is over it.
    let array = store.array_sort(sorts[0], Sort::Int);
    let made = store.array_value(array, number(1), vec![(value.clone(), number(2))]);
    let other = store.array_value(array, number(2), vec![(value.clone(), number(2))]);
    assert!(made != other);
    assert!(made.as_array().expect("an array").get(&value) == &number(2));
}

#[test]
fn arrays_have_one_form() {
    let mut f = fixture();
    let ints = f.store.array_sort(Sort::Int, Sort::Int);
    let one = f.store.array_value(ints, number(0), vec![(number(1), number(5)), (number(2), number(0))]);
    let entries = vec![(number(1), number(3)), (number(2), number(0)), (number(1), number(5))];
    let two = f.store.array_value(ints, number(0), entries);
    assert_eq!(one, two);
    assert_eq!(f.store.display_value(&one, ints).to_string(), "(store ((as const (Array Int Int)) 0) 1 5)");
    let array = one.as_array().expect("an array");
    assert_eq!((array.get(&number(1)), array.get(&number(9))), (&number(5), &number(0)));
    let zero = f.store.array_with(array, number(1), number(0));
    assert_eq!(zero.as_array().expect("an array").entries(), []);
    // With two indices there are many ways to write down one array.
    let truths = f.store.array_sort(Sort::Bool, Sort::Int);
    let [no, yes] = [Value::Bool(false), Value::Bool(true)];
    let ways = [
        f.store.array_value(truths, number(1), vec![(yes.clone(), number(2))]),
        f.store.array_value(truths, number(2), vec![(no.clone(), number(1))]),
        f.store.array_value(truths, number(7), vec![(no.clone(), number(1)), (yes.clone(), number(2))]),
    ];
    assert!(ways.iter().all(|way| *way == ways[0]), "{ways:?}");
    let constant = f.store.array_value(truths, number(7), vec![(no, number(1)), (yes, number(1))]);
    assert_eq!(constant, f.store.array_value(truths, number(1), Vec::new()));
    // Indices that are arrays themselves.
    let table = f.store.array_sort(Sort::Bool, Sort::Bool);
    let over_tables = f.store.array_sort(table, Sort::Int);
    let tables: Vec<Value> = [(false, false), (false, true), (true, false), (true, true)]
        .map(|(at_false, at_true)| {
            let entries =
                vec![(Value::Bool(false), Value::Bool(at_false)), (Value::Bool(true), Value::Bool(at_true))];
            f.store.array_value(table, Value::Bool(true), entries)
        })
        .to_vec();
    let all = |value: i64| tables.iter().map(|table| (table.clone(), number(value))).collect();
    let full = f.store.array_value(over_tables, number(0), all(4));
    assert_eq!(full, f.store.array_value(over_tables, number(4), Vec::new()));
    // One element only: nothing to tell apart.
    let unit =
        f.store.declare_datatypes(&[datatype("Unit", vec![constructor("unit", &[])])]).expect("a unit")[0];
    let units = f.store.array_sort(Sort::Int, unit);
    let over_units = f.store.array_sort(units, Sort::Int);
    let index = f.store.default_value(units);
    let single = f.store.array_value(over_units, number(0), vec![(index, number(3))]);
    assert_eq!(single, f.store.array_value(over_units, number(3), Vec::new()));
}

/// Gives functions, selectors on the wrong constructor and divisions by zero one value each.
struct Answers {
    variables: Vec<(Symbol, Value)>,
    functions: Vec<(Symbol, Vec<Value>, Value)>,
}

impl Assignment for Answers {
    fn value(&self, symbol: Symbol) -> Option<Value> {
        self.variables.iter().find(|entry| entry.0 == symbol).map(|entry| entry.1.clone())
    }

    fn apply(&self, symbol: Symbol, args: &[Value]) -> Option<Value> {
        let found = self.functions.iter().find(|entry| entry.0 == symbol && entry.1 == args);
        found.map(|entry| entry.2.clone())
    }
}

#[test]
fn each_role_is_evaluated() {
    let mut f = fixture();
    let [nil, cons, head, tail] = f.symbols;
    let function = f.store.declare("f", &[Sort::Int, Sort::Bool], Sort::Int);
    let ints = f.store.array_sort(Sort::Int, Sort::Int);
    let [x, y] = ["x", "y"].map(|name| f.store.variable(name, Sort::Int));
    let r = f.store.variable("r", Sort::Real);
    let (p, l) = (f.store.variable("p", Sort::Bool), f.store.variable("l", f.list));
    let a = f.store.variable("a", ints);
    let empty = Value::data(nil, Vec::new());
    let single = Value::data(cons, vec![number(5), empty.clone()]);
    let symbol = |store: &Store, term: Term| store.as_var(term).expect("a variable");
    let variables = vec![
        (symbol(&f.store, x), number(7)),
        (symbol(&f.store, y), number(0)),
        (symbol(&f.store, r), Value::Num(Rat::new(1, 2))),
        (symbol(&f.store, p), Value::Bool(true)),
        (symbol(&f.store, l), single.clone()),
        (symbol(&f.store, a), f.store.array_value(ints, number(1), vec![(number(7), number(2))])),
    ];
    let application = f.store.apply(function, &[x, !p]);
    let [div, rem] = [f.store.int_quotient(x, y), f.store.remainder(x, y)];
    let zero = f.store.real(0);
    let quotient = f.store.real_quotient(r, zero);
    let role_symbol = |store: &Store, term: Term| store.as_app(term).expect("an application").0;
    let functions = vec![
        (function, vec![number(7), Value::Bool(false)], number(11)),
        (head, vec![empty.clone()], number(12)),
        (role_symbol(&f.store, div), vec![number(7), number(0)], number(13)),
        (role_symbol(&f.store, rem), vec![number(7), number(0)], number(14)),
        (role_symbol(&f.store, quotient), vec![Value::Num(Rat::new(1, 2)), number(0)], number(15)),
    ];
    let answers = Answers { variables, functions };
    let check = |store: &Store, term: Term, expected: Option<Value>| {
        assert_eq!(store.evaluate(term, &answers), expected, "{}", store.display(term));
    };
    check(&f.store, application, Some(number(11)));
    let unknown = f.store.apply(function, &[y, p]);
    check(&f.store, unknown, None);
    let [head_l, tail_l] = [head, tail].map(|selector| f.store.select_field(selector, l));
    check(&f.store, head_l, Some(number(5)));
    check(&f.store, tail_l, Some(empty.clone()));
    let wrong = f.store.select_field(head, tail_l);
    check(&f.store, wrong, Some(number(12)));
    let undefined = f.store.select_field(tail, tail_l);
    check(&f.store, undefined, None);
    let id = f.list.as_datatype().expect("a datatype");
    let testers: Vec<Symbol> = f.store.datatype(id).constructors().iter().map(|c| c.tester).collect();
    for (tester, expected) in testers.into_iter().zip([false, true]) {
        let test = f.store.test(tester, l);
        check(&f.store, test, Some(Value::Bool(expected)));
        check(&f.store, !test, Some(Value::Bool(!expected)));
    }
    let longer = f.store.construct(cons, &[x, l]);
    check(&f.store, longer, Some(Value::data(cons, vec![number(7), single])));
    let [at_x, at_y] = [x, y].map(|index| f.store.select(a, index));
    check(&f.store, at_x, Some(number(2)));
    check(&f.store, at_y, Some(number(1)));
    let written = f.store.store_at(a, y, head_l);
    let twice = f.store.store_at(written, x, y);
    let entries = vec![(number(7), number(0)), (number(0), number(5))];
    let expected = f.store.array_value(ints, number(1), entries);
    check(&f.store, twice, Some(expected));
    let constant = f.store.constant_array(ints, x);
    let expected = f.store.array_value(ints, number(7), Vec::new());
    check(&f.store, constant, Some(expected));
    let same = f.store.eq(constant, a);
    check(&f.store, same, Some(Value::Bool(false)));
    let product = f.store.product(&[x, x, head_l]);
    check(&f.store, product, Some(number(245)));
    check(&f.store, div, Some(number(13)));
    check(&f.store, rem, Some(number(14)));
    check(&f.store, quotient, Some(number(15)));
    for (a, b) in [(7i64, 2i64), (-7, 2), (7, -2), (-7, -2), (6, -3), (0, 5)] {
        let at = |symbol: Symbol| Some(number(if f.store.name(symbol) == "x" { a } else { b }));
        assert_eq!(f.store.evaluate(div, &at), Some(number(a.div_euclid(b))), "{a} {b}");
        assert_eq!(f.store.evaluate(rem, &at), Some(number(a.rem_euclid(b))), "{a} {b}");
    }
}

#[test]
fn products_are_multiplied_out_while_they_are_small() {
    let mut store = Store::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::Int));
    let (one, two) = (store.int(1), store.int(2));
    let sum = store.add(&[x, one]);
    let left = store.product(&[sum, y, two]);
    let (xy, scaled) = (store.product(&[y, x]), store.scale(&Rat::from(2), y));
    let double = store.scale(&Rat::from(2), xy);
    assert_eq!(left, store.add(&[double, scaled]));
    let flat = store.product(&[xy, z]);
    assert_eq!(store.as_app(flat).map(|(_, role, args)| (role, args.len())), Some((Role::Product, 3)));
    assert_eq!(store.product(&[two, two]), store.int(4));
    assert_eq!(store.product(&[x, one]), x);
    // Nine summands each: the factors stay as they are, whatever their order, but for what is common.
    let many: Vec<Term> = (0..9).map(|at| store.variable(&format!("v{at}"), Sort::Int)).collect();
    let [mut first, mut second] = [many.clone(), many.clone()];
    first.push(x);
    second.push(y);
    let [first, second] = [store.add(&first), store.add(&second)];
    let thrice = store.scale(&Rat::from(3), first);
    let (product, scaled) = (store.product(&[first, second]), store.product(&[second, thrice]));
    assert_eq!(scaled, store.scale(&Rat::from(3), product));
    assert_eq!(store.as_app(product).map(|(_, role, args)| (role, args.len())), Some((Role::Product, 2)));
    // Factors of a chain are gathered only so far.
    let mut chain = x;
    for _ in 0..100_000 {
        chain = store.product(&[chain, y]);
    }
    let at = |symbol: Symbol| Some(number(if store.name(symbol) == "x" { 3 } else { -1 }));
    assert_eq!(store.evaluate(chain, &at), Some(number(3)));
    assert_eq!(store.int_div(chain, &Int::ONE), chain);
}
