//! Functions, arrays and datatypes: random terms mean what was written, print and read back; values have one form.

use shem_base::{Rat, Rng};
use shem_term::smtlib::{Lexer, Reader};
use shem_term::{Role, Sort, Store, Substitution, Symbol, Term, Value};
use shem_test_support::rounds;
use shem_test_support::theories::{RandomModel, Vocabulary, random_value};

/// Runs a check many times, with stores that have the vocabulary.
fn repeat(mut check: impl FnMut(&mut Store, &Vocabulary, &mut Reader, &mut Rng)) {
    for seed in 0..rounds(60) {
        let mut store = Store::new();
        let (vocabulary, mut reader) = Vocabulary::new(&mut store);
        let mut rng = Rng::new(seed);
        for _ in 0..40 {
            check(&mut store, &vocabulary, &mut reader, &mut rng);
        }
    }
}

#[test]
fn terms_mean_what_was_written() {
    repeat(|store, vocabulary, _, rng| {
        let sort = *rng.pick(&vocabulary.sorts);
        let depth = rng.index(5);
        let expression = vocabulary.expression(store, rng, sort, depth);
        let term = expression.term(store);
        assert_eq!(store.sort(term), sort);
        for _ in 0..4 {
            let model = RandomModel::new(store, rng.next_u64());
            let expected = expression.value(&model);
            let found = store.evaluate(term, &model);
            assert_eq!(found, Some(expected), "{}", store.display(term));
        }
    });
}

#[test]
fn what_is_printed_is_read_back() {
    repeat(|store, vocabulary, reader, rng| {
        let sort = *rng.pick(&vocabulary.sorts);
        let term = vocabulary.expression(store, rng, sort, 4).term(store);
        let printed = store.display(term).to_string();
        let mut lexer = Lexer::new(&printed).expect("a short text");
        let read = reader.read_term(&mut lexer, store);
        assert_eq!(read.unwrap_or_else(|error| panic!("{printed}: {error}")), term, "{printed}");
    });
}

/// What is put in the place of variables means their values; and building a term again changes nothing.
#[test]
fn substitution_keeps_the_meaning() {
    repeat(|store, vocabulary, _, rng| {
        let sort = *rng.pick(&vocabulary.sorts);
        let term = vocabulary.expression(store, rng, sort, 4).term(store);
        let seed = rng.next_u64();
        let expected = store.evaluate(term, &RandomModel::new(store, seed));
        let mut substitution = Substitution::new();
        for &variable in &vocabulary.variables {
            if rng.bool() {
                let value = RandomModel::new(store, seed).variable(variable);
                let value = store.value_term(&value, store.signature(variable).result);
                substitution.insert(variable, value);
            }
        }
        let replaced = store.substitute(term, &substitution);
        assert_eq!(store.evaluate(replaced, &RandomModel::new(store, seed)), expected);
        let unused = store.variable("unused", Sort::Int);
        let mut nothing = Substitution::new();
        nothing.insert(store.as_var(unused).expect("a variable"), unused);
        assert_eq!(store.substitute(term, &nothing), term, "{}", store.display(term));
    });
}

#[test]
fn values_are_printed_and_read_back() {
    repeat(|store, vocabulary, reader, rng| {
        let sort = *rng.pick(&vocabulary.sorts);
        let value = random_value(store, rng, sort, 3);
        let term = store.value_term(&value, sort);
        let model = RandomModel::new(store, 0);
        assert_eq!(store.evaluate(term, &model), Some(value.clone()));
        let printed = store.display_value(&value, sort).to_string();
        if printed.contains("(as @") {
            return;
        }
        let mut lexer = Lexer::new(&printed).expect("a short text");
        let read = reader.read_term(&mut lexer, store).unwrap_or_else(|error| panic!("{printed}: {error}"));
        assert_eq!(read, term, "{printed}");
    });
}

/// The order of values is total, and agrees with equality and with what copies are.
#[test]
fn values_are_ordered() {
    repeat(|store, vocabulary, _, rng| {
        let sort = *rng.pick(&vocabulary.sorts);
        let [x, y, z] = [(); 3].map(|()| random_value(store, rng, sort, 2));
        assert_eq!(x.cmp(&y), y.cmp(&x).reverse());
        assert_eq!(x == y, x.cmp(&y).is_eq());
        assert!(!(x <= y && y <= z) || x <= z);
        let text = store.display_value(&x, sort).to_string();
        assert_eq!(x == y, text == store.display_value(&y, sort).to_string());
    });
}

const DEPTH: usize = 1_000_000;

/// A list as long as this, of which every value is new.
fn long_list(cons: Symbol, nil: Symbol, length: usize) -> Value {
    let mut list = Value::data(nil, Vec::new());
    for at in 0..length {
        list = Value::data(cons, vec![Value::Num(Rat::from(at as i64)), list]);
    }
    list
}

#[test]
fn a_million_levels_of_values() {
    let mut store = Store::new();
    let (_, mut reader) = Vocabulary::new(&mut store);
    let mut lexer = Lexer::new("(cons i l)").expect("a short text");
    let example = reader.read_term(&mut lexer, &mut store).expect("a term");
    let (cons, _, _) = store.as_app(example).expect("an application");
    let sort = store.sort(example);
    let id = sort.as_datatype().expect("a datatype");
    let nil = store.datatype(id).constructors()[0].symbol;
    let (one, two) = (long_list(cons, nil, DEPTH), long_list(cons, nil, DEPTH));
    assert!(one == two);
    assert!(one.cmp(&two).is_eq());
    assert!(store.display_value(&one, sort).to_string().len() > 10 * DEPTH);
    assert!(format!("{one:?}").len() > 5 * DEPTH);
    let term = store.value_term(&one, sort);
    let nothing = |_: Symbol| None;
    assert!(store.evaluate(term, &nothing).as_ref() == Some(&one));
    let other = store.value_term(&two, sort);
    assert!(term == other);
    assert!(store.eq(term, other) == Term::TRUE);
    let shorter = store.value_term(&long_list(cons, nil, DEPTH - 1), sort);
    assert!(store.eq(term, shorter) == Term::FALSE);
}

/// Values with much sharing inside: the number of paths is beyond counting.
#[test]
fn shared_values() {
    let mut store = Store::new();
    let declarations = "(declare-datatype B ((tip) (fork (fl B) (fr B))))";
    let mut reader = Reader::new();
    let mut lexer = Lexer::new(declarations).expect("a short text");
    reader.next_command(&mut lexer, &mut store).expect("a declaration");
    let mut lexer = Lexer::new("(fork tip tip)").expect("a short text");
    let example = reader.read_term(&mut lexer, &mut store).expect("a term");
    let (fork, _, _) = store.as_app(example).expect("an application");
    let tip = store.constructor(fork).clone();
    let Role::Constructor { datatype, .. } = store.role(tip.symbol) else { panic!("a constructor") };
    let tip = store.datatype(datatype).constructors()[0].symbol;
    let doubled =
        || (0..200).fold(Value::data(tip, Vec::new()), |tree, _| Value::data(fork, vec![tree.clone(), tree]));
    let (one, two) = (doubled(), doubled());
    assert!(one == two && one.cmp(&two).is_eq());
    let term = store.value_term(&one, store.sort(example));
    assert!(store.dag_size(term) == 201);
    assert!(store.evaluate(term, &|_: Symbol| None).as_ref() == Some(&two));
}

#[test]
fn a_million_levels_of_terms() {
    let mut store = Store::new();
    let (_, mut reader) = Vocabulary::new(&mut store);
    let mut read = |text: &str| {
        reader.read_term(&mut Lexer::new(text).expect("a short text"), &mut store).expect("a term")
    };
    let [a, i, l, u] = ["a", "i", "l", "u"].map(&mut read);
    let [tail, cons, f] = ["(tail l)", "(cons i l)", "(f i u)"].map(&mut read);
    let symbol = |store: &Store, term| store.as_app(term).expect("an application").0;
    let [tail, cons, f] = [tail, cons, f].map(|term| symbol(&store, term));
    let (mut array, mut list, mut field, mut element) = (a, l, l, u);
    for at in 0..DEPTH {
        let place = store.int(at as i64);
        array = store.store_at(array, place, i);
        list = store.construct(cons, &[place, list]);
        if at % 10 == 0 {
            field = store.apply(tail, &[field]);
            element = store.apply(f, &[place, element]);
        }
    }
    let model_seed = 7;
    for term in [array, list, element] {
        let model = RandomModel::new(&store, model_seed);
        assert!(store.evaluate(term, &model).is_some());
    }
    let parts = [(array, a), (list, l), (field, l), (element, u)];
    let equalities: Vec<Term> = parts.iter().map(|&(x, y)| store.eq(x, y)).collect();
    let all = store.and(&equalities);
    assert!(store.display(all).to_string().len() > 10 * DEPTH);
    let mut substitution = Substitution::new();
    let other = store.variable("other", store.sort(l));
    substitution.insert(store.as_var(l).expect("a variable"), other);
    let replaced = store.substitute(all, &substitution);
    assert!(replaced != all);
    let free = store.free_variables(&[replaced]);
    assert!(free.contains(&other) && !free.contains(&l));
    // A read finds its write near the end of the chain, and stops to look far down.
    let last = store.int(DEPTH as i64 - 1);
    assert_eq!(store.select(array, last), i);
    let first = store.int(0);
    let far = store.select(array, first);
    assert_eq!(store.as_app(far).map(|(_, role, _)| role), Some(Role::Select));
    assert_eq!(
        store.evaluate(far, &RandomModel::new(&store, 3)),
        store.evaluate(i, &RandomModel::new(&store, 3))
    );
}
