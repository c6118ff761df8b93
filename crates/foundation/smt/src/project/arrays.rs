//! Arrays: reads over writes, equalities, and reads of arrays to eliminate.
//!
//! Komuravelli, Bjørner, Gurfinkel and McMillan (2015). A read over a write is decided by the model, and whether the
//! indices agree becomes a literal. An equality of writes to an array to eliminate defines that array up to the
//! elements written over, which become new variables. A disequality holds at some index, a new variable. An array
//! to eliminate that is only read is replaced by its elements: reads at indices that agree in the model have one
//! element in common, and indices that differ in the model have to differ.
//!
//! Ours differs in that equalities are taken as a whole: two chains of writes are equal if and only if they agree at
//! all indices written to, and their bases elsewhere. There are no partial equalities, and nested arrays need
//! nothing of their own: their elements are arrays to eliminate.

use shem_term::{Role, Term, Value};

use super::difference::index_of_difference;
use super::rewrite::Rewriting;
use super::unsupported::Unsupported;

/// Decides reads over writes, and replaces arrays that are only read.
pub(super) fn rewrite_reads(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    if read_over_writes(rewriting)? {
        return Ok(true);
    }
    let Some(array) = find_array_of_reads(rewriting) else { return Ok(false) };
    replace_reads(rewriting, array)?;
    Ok(true)
}

/// The array and index of a read.
fn as_read(rewriting: &Rewriting<'_>, term: Term) -> Option<(Term, Term)> {
    match rewriting.store.as_app(term) {
        Some((_, Role::Select, &[array, index])) => Some((array, index)),
        _ => None,
    }
}

/// The array, index and element of a write.
fn as_write(rewriting: &Rewriting<'_>, term: Term) -> Option<(Term, Term, Term)> {
    match rewriting.store.as_app(term) {
        Some((_, Role::Store, &[array, index, element])) => Some((array, index, element)),
        _ => None,
    }
}

fn read_over_writes(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    let mut pairs = Vec::new();
    for term in rewriting.open_terms() {
        let Some((mut array, index)) = as_read(rewriting, term) else { continue };
        if as_write(rewriting, array).is_none() {
            continue;
        }
        let value = rewriting.value(index)?;
        let mut found = None;
        while let Some((inner, position, element)) = as_write(rewriting, array) {
            let same = rewriting.value(position)? == value;
            let equality = rewriting.store.eq(position, index);
            rewriting.require(equality.xor(!same));
            if same {
                found = Some(element);
                break;
            }
            array = inner;
        }
        let image = match found {
            Some(element) => element,
            None => rewriting.store.select(array, index),
        };
        pairs.push((term, image));
    }
    if pairs.is_empty() {
        return Ok(false);
    }
    rewriting.choose();
    rewriting.replace(&pairs);
    Ok(true)
}

/// An array to eliminate that occurs as the array of reads only.
fn find_array_of_reads(rewriting: &Rewriting<'_>) -> Option<Term> {
    let terms = rewriting.open_terms();
    let is_wanted =
        |&var: &Term| rewriting.store.sort(var).is_array() && rewriting.valuation.is_eliminated(var);
    let only_read = |&var: &Term| {
        terms.iter().all(|&term| {
            let mut times = 0;
            rewriting.store.for_each_child(term, |child| times += usize::from(child == var));
            times == 0
                || times == 1
                    && as_read(rewriting, term).is_some_and(|(array, index)| array == var && index != var)
        })
    };
    terms.iter().copied().filter(is_wanted).find(only_read)
}

/// Indices of an array that agree in the model.
struct IndexClass {
    value: Value,
    index: Term,
    element: Term,
}

/// Replaces the reads of an array by variables for its elements, those without another such read inside first.
fn replace_reads(rewriting: &mut Rewriting<'_>, array: Term) -> Result<(), Unsupported> {
    let Value::Array(elements) = rewriting.value(array)? else { return Err(Unsupported::NotAModel) };
    let (_, element_sort) = rewriting.store.array_parts(elements.sort()).ok_or(Unsupported::NotAModel)?;
    let mut classes: Vec<IndexClass> = Vec::new();
    let mut obligations: Vec<Term> = Vec::new();
    rewriting.replace_repeatedly(|rewriting, terms| {
        let mut pairs = Vec::new();
        for &term in terms {
            let Some((read, index)) = as_read(rewriting, term) else { continue };
            if read != array || rewriting.occurs(array, index) {
                continue;
            }
            let value = rewriting.value(index)?;
            let at = match classes.binary_search_by(|class| class.value.cmp(&value)) {
                Ok(at) => {
                    obligations.push(rewriting.store.eq(classes[at].index, index));
                    at
                }
                Err(at) => {
                    let element = rewriting.introduce(element_sort, elements.get(&value).clone());
                    classes.insert(at, IndexClass { value, index, element });
                    at
                }
            };
            pairs.push((term, classes[at].element));
        }
        Ok(pairs)
    })?;
    require_distinct(rewriting, &classes, &mut obligations);
    if obligations.iter().any(|&formula| formula != Term::TRUE) {
        rewriting.choose();
    }
    obligations.into_iter().for_each(|formula| rewriting.require(formula));
    Ok(())
}

/// Adds that the indices differ: numbers are in the order of the model, others are compared in pairs.
fn require_distinct(rewriting: &mut Rewriting<'_>, classes: &[IndexClass], obligations: &mut Vec<Term>) {
    let Some(first) = classes.first() else { return };
    if rewriting.store.sort(first.index).is_arithmetic() {
        for pair in classes.windows(2) {
            obligations.push(rewriting.store.lt(pair[0].index, pair[1].index));
        }
        return;
    }
    for (at, class) in classes.iter().enumerate() {
        for other in &classes[at + 1..] {
            obligations.push(!rewriting.store.eq(class.index, other.index));
        }
    }
}

/// A chain of writes.
struct Chain {
    whole: Term,
    base: Term,
    /// The indices written to, the last one first.
    indices: Vec<Term>,
}

impl Chain {
    fn new(rewriting: &Rewriting<'_>, whole: Term) -> Chain {
        let mut chain = Chain { whole, base: whole, indices: Vec::new() };
        while let Some((array, index, _)) = as_write(rewriting, chain.base) {
            chain.indices.push(index);
            chain.base = array;
        }
        chain
    }
}

/// Takes an equality or disequality of arrays apart.
pub(super) fn rewrite_equalities(rewriting: &mut Rewriting<'_>) -> Result<bool, Unsupported> {
    for literal in rewriting.literals().to_vec() {
        let Some((a, b)) = rewriting.as_equality(literal) else { continue };
        if !rewriting.store.sort(a).is_array() {
            continue;
        }
        let done = if literal.is_negated() {
            differ_somewhere(rewriting, literal, a, b)?
        } else {
            equate(rewriting, literal, a, b)?
        };
        if done {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Replaces a disequality by that of the elements at some index.
fn differ_somewhere(
    rewriting: &mut Rewriting<'_>,
    literal: Term,
    a: Term,
    b: Term,
) -> Result<bool, Unsupported> {
    let (Value::Array(left), Value::Array(right)) = (rewriting.value(a)?, rewriting.value(b)?) else {
        return Err(Unsupported::NotAModel);
    };
    let Some(value) = index_of_difference(rewriting, &left, &right) else { return Ok(false) };
    let (index_sort, _) = rewriting.store.array_parts(left.sort()).ok_or(Unsupported::NotAModel)?;
    let index = rewriting.introduce(index_sort, value);
    let [x, y] = [a, b].map(|array| rewriting.store.select(array, index));
    let equality = rewriting.store.eq(x, y);
    rewriting.remove(literal);
    rewriting.require(!equality);
    Ok(true)
}

/// Replaces an equality of chains of writes, if an array to eliminate is the base of one of them, or if both have
/// the same base, or if only elements mention variables to eliminate.
fn equate(rewriting: &mut Rewriting<'_>, literal: Term, a: Term, b: Term) -> Result<bool, Unsupported> {
    let (left, right) = (Chain::new(rewriting, a), Chain::new(rewriting, b));
    if left.base != right.base {
        for (chain, other) in [(&left, &right), (&right, &left)] {
            if rewriting.valuation.is_eliminated(chain.base) {
                rewriting.remove(literal);
                solve(rewriting, chain, other)?;
                return Ok(true);
            }
        }
        let terms = [&[left.base, right.base][..], &left.indices, &right.indices].concat();
        if terms.into_iter().any(|term| rewriting.valuation.mentions(term)) {
            return Ok(false);
        }
    }
    rewriting.remove(literal);
    let mut rest = right.base;
    for &index in left.indices.iter().chain(&right.indices) {
        let [x, y] = [a, b].map(|array| rewriting.store.select(array, index));
        let equality = rewriting.store.eq(x, y);
        rewriting.require(equality);
        let element = rewriting.store.select(left.base, index);
        rest = rewriting.store.store_at(rest, index, element);
    }
    if left.base != right.base {
        let equality = rewriting.store.eq(left.base, rest);
        rewriting.require(equality);
    }
    Ok(true)
}

/// Replaces the base of a chain, an array to eliminate, by the other side with new elements at the indices that the
/// chain writes to.
fn solve(rewriting: &mut Rewriting<'_>, chain: &Chain, other: &Chain) -> Result<(), Unsupported> {
    let array = chain.base;
    let Value::Array(elements) = rewriting.value(array)? else { return Err(Unsupported::NotAModel) };
    let (_, element_sort) = rewriting.store.array_parts(elements.sort()).ok_or(Unsupported::NotAModel)?;
    let right = without(rewriting, array, other)?;
    let mut solution = right;
    for &index in chain.indices.iter().rev() {
        let value = rewriting.value(index)?;
        let index = name_if_open(rewriting, array, index)?;
        let element = rewriting.introduce(element_sort, elements.get(&value).clone());
        solution = rewriting.store.store_at(solution, index, element);
        let [x, y] = [chain.whole, right].map(|array| rewriting.store.select(array, index));
        let equality = rewriting.store.eq(x, y);
        rewriting.require(equality);
    }
    rewriting.replace(&[(array, solution)]);
    Ok(())
}

/// The chain with new variables for those of its parts that the array occurs in.
fn without(rewriting: &mut Rewriting<'_>, array: Term, chain: &Chain) -> Result<Term, Unsupported> {
    if !rewriting.occurs(array, chain.whole) {
        return Ok(chain.whole);
    }
    let mut writes = Vec::new();
    let mut at = chain.whole;
    while let Some((inner, index, element)) = as_write(rewriting, at) {
        writes.push((index, element));
        at = inner;
    }
    let mut result = name_if_open(rewriting, array, chain.base)?;
    for (index, element) in writes.into_iter().rev() {
        let index = name_if_open(rewriting, array, index)?;
        let element = name_if_open(rewriting, array, element)?;
        result = rewriting.store.store_at(result, index, element);
    }
    Ok(result)
}

/// The term, or a new variable that must be equal to it if the array occurs in it.
fn name_if_open(rewriting: &mut Rewriting<'_>, array: Term, term: Term) -> Result<Term, Unsupported> {
    if !rewriting.occurs(array, term) {
        return Ok(term);
    }
    let value = rewriting.value(term)?;
    let name = rewriting.introduce(rewriting.store.sort(term), value);
    let equality = rewriting.store.eq(name, term);
    rewriting.require(equality);
    Ok(name)
}
