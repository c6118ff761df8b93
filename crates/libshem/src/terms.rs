//! Terms that know the problem they belong to, and builders that check what they are given.
//!
//! The builders of a [`Store`] are for code that knows its sorts: a wrong sort is a panic or a term without meaning, and so
//! is the term of another store. The builders here return a [`BuildError`] instead. They take `&self`, so calls nest.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use shem_base::BitVec;
use shem_chc::{BuildError, PredicateId};
use shem_term::smtlib::apply_bit_operation;
use shem_term::{Constructor, Sort, Store, Symbol, Term};

use crate::problem::Problem;

/// A term that knows its problem. It is one of later clones of the problem, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    term: Term,
    owner: u64,
}

impl Expression {
    /// The term in the store of the problem.
    pub fn term(self) -> Term {
        self.term
    }
}

/// Whose terms are known: those of a problem, and those that were there when it was cloned.
#[derive(Debug)]
pub(crate) struct Ownership {
    own: u64,
    /// The problems that this one was cloned from, each with the number of its terms then.
    inherited: Vec<(u64, usize)>,
}

impl Default for Ownership {
    fn default() -> Ownership {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Ownership { own: NEXT.fetch_add(1, Ordering::Relaxed), inherited: Vec::new() }
    }
}

impl Ownership {
    /// That of a clone of a problem with so many terms.
    pub(crate) fn of_clone(&self, terms: usize) -> Ownership {
        let mut clone = Ownership::default();
        clone.inherited.clone_from(&self.inherited);
        clone.inherited.push((self.own, terms));
        clone
    }

    fn has(&self, store: &Store, Expression { term, owner }: Expression) -> bool {
        let inherited = || self.inherited.iter().find(|(from, _)| *from == owner).map(|&(_, terms)| terms);
        let known = if owner == self.own { Some(store.len()) } else { inherited() };
        known.is_some_and(|terms| term.index() < terms)
    }
}

/// What a problem takes for a term: an [`Expression`], or a [`Term`] of its store. A term of another store can be
/// recognised only where this one has fewer terms; an expression of another problem always.
pub trait IntoTerm: Copy {
    /// The term, if it is one of the problem.
    ///
    /// # Errors
    /// [`BuildError::Foreign`] if it is not.
    fn term_in(self, problem: &Problem) -> Result<Term, BuildError>;
}

impl IntoTerm for Term {
    fn term_in(self, problem: &Problem) -> Result<Term, BuildError> {
        if self.index() < problem.store().len() { Ok(self) } else { Err(BuildError::Foreign) }
    }
}

impl IntoTerm for Expression {
    fn term_in(self, problem: &Problem) -> Result<Term, BuildError> {
        if problem.ownership().has(problem.store(), self) { Ok(self.term) } else { Err(BuildError::Foreign) }
    }
}

/// Makes the terms of a problem: see [`Problem::terms`].
pub struct Terms<'p> {
    problem: RefCell<&'p mut Problem>,
}

type Built = Result<Expression, BuildError>;

impl<'p> Terms<'p> {
    pub(crate) fn new(problem: &'p mut Problem) -> Terms<'p> {
        Terms { problem: RefCell::new(problem) }
    }

    /// Checks that the terms are of this problem, and makes another one of them.
    fn build(
        &self,
        parts: &[Expression],
        make: impl FnOnce(&mut Store, &[Term]) -> Result<Term, BuildError>,
    ) -> Built {
        let mut problem = self.problem.borrow_mut();
        let parts = problem.known(parts)?;
        let term = make(problem.store_mut(), &parts)?;
        Ok(Expression { term, owner: problem.ownership().own })
    }

    fn leaf(&self, make: impl FnOnce(&mut Store) -> Term) -> Expression {
        let mut problem = self.problem.borrow_mut();
        let term = make(problem.store_mut());
        Expression { term, owner: problem.ownership().own }
    }

    /// A new variable. Another one of the same name is another variable.
    pub fn variable(&self, name: &str, sort: Sort) -> Expression {
        self.leaf(|store| store.variable(name, sort))
    }

    /// An integer.
    pub fn int(&self, value: impl Into<shem_base::Int>) -> Expression {
        self.leaf(|store| store.int(value))
    }

    /// A number of sort `Real`.
    pub fn real(&self, value: impl Into<shem_base::Rat>) -> Expression {
        self.leaf(|store| store.real(value))
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Expression {
        self.leaf(|_| Term::from_bool(value))
    }

    /// The sort of arrays from indices to elements.
    pub fn array_sort(&self, index: Sort, element: Sort) -> Sort {
        self.problem.borrow_mut().store_mut().array_sort(index, element)
    }

    /// The bit-vector of this width whose bits are those of a number; [`Sort::bit_vec`] is its sort.
    ///
    /// # Errors
    /// If the width is zero or too large.
    pub fn bit_vector(&self, width: u32, number: impl Into<shem_base::Int>) -> Built {
        let sort = Sort::bit_vec(width);
        sort.ok_or_else(|| BuildError::BitVectors(format!("there are no bit-vectors of {width} bits")))?;
        Ok(self.leaf(|store| store.bit_vector(&BitVec::from_int(width, &number.into()))))
    }

    /// An operation on bit-vectors, by its name in SMT-LIB and its indices, if it has some.
    ///
    /// ```
    /// use libshem::{Options, Problem, Sort};
    ///
    /// // A byte that begins with zero and grows by two, past 254 to zero again, is never odd.
    /// let mut problem = Problem::new();
    /// let byte = Sort::bit_vec(8).expect("a width");
    /// let even = problem.declare("even", &[byte])?;
    /// let s = problem.terms();
    /// let x = s.variable("x", byte);
    /// let start = s.apply(even, &[s.bit_vector(8, 0)?])?;
    /// let next = s.apply(even, &[s.bit_operation("bvadd", &[], &[x, s.bit_vector(8, 2)?])?])?;
    /// let (here, last) = (s.apply(even, &[x])?, s.bit_operation("extract", &[0, 0], &[x])?);
    /// let bad = s.eq(last, s.bit_vector(1, 1)?)?;
    /// let error = s.bit_operation("bvadd", &[], &[x, last]).unwrap_err().to_string();
    /// assert!(error.starts_with("argument 2 of bvadd: expected a term of sort (_ BitVec 8)"));
    /// problem.clause(&[], start)?;
    /// problem.clause(&[here], next)?;
    /// problem.query(&[here, bad])?;
    /// assert!(problem.solve(&Options::default())?.model().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such operation, or the indices or arguments do not fit it.
    pub fn bit_operation(&self, name: &str, indices: &[u32], args: &[Expression]) -> Built {
        self.build(args, |store, args| {
            apply_bit_operation(store, name, indices, args).map_err(BuildError::BitVectors)
        })
    }

    /// A predicate applied to terms.
    pub fn apply(&self, predicate: PredicateId, args: &[Expression]) -> Built {
        let mut problem = self.problem.borrow_mut();
        let args = problem.known(args)?;
        let term = problem.apply(predicate, &args)?;
        Ok(Expression { term, owner: problem.ownership().own })
    }

    /// The sum of at least one number, all of one sort.
    pub fn add(&self, args: &[Expression]) -> Built {
        self.build(args, |store, args| numbers(store, "+", args).map(|()| store.add(args)))
    }

    /// The difference of two numbers.
    pub fn sub(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| numbers(store, "-", args).map(|()| store.sub(args[0], args[1])))
    }

    /// The product of at least one number, all of one sort.
    pub fn mul(&self, args: &[Expression]) -> Built {
        self.build(args, |store, args| numbers(store, "*", args).map(|()| store.product(args)))
    }

    /// The negative of a number.
    pub fn neg(&self, a: Expression) -> Built {
        self.build(&[a], |store, args| numbers(store, "-", args).map(|()| store.neg(args[0])))
    }

    /// The quotient of integers, rounded as SMT-LIB has it: the remainder is not negative.
    pub fn div(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| {
            all(store, "div", args, Sort::Int)?;
            Ok(store.int_quotient(args[0], args[1]))
        })
    }

    /// The remainder of integers, which is not negative.
    pub fn modulo(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| {
            all(store, "mod", args, Sort::Int)?;
            Ok(store.remainder(args[0], args[1]))
        })
    }

    /// The quotient of reals.
    pub fn quotient(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| {
            all(store, "/", args, Sort::Real)?;
            Ok(store.real_quotient(args[0], args[1]))
        })
    }

    /// Two terms of one sort are equal.
    pub fn eq(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| same(store, "=", args).map(|()| store.eq(args[0], args[1])))
    }

    /// Two terms of one sort are not equal.
    pub fn ne(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| same(store, "distinct", args).map(|()| !store.eq(args[0], args[1])))
    }

    /// At most.
    pub fn le(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| numbers(store, "<=", args).map(|()| store.le(args[0], args[1])))
    }

    /// Less than.
    pub fn lt(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| numbers(store, "<", args).map(|()| store.lt(args[0], args[1])))
    }

    /// At least.
    pub fn ge(&self, a: Expression, b: Expression) -> Built {
        self.le(b, a)
    }

    /// Greater than.
    pub fn gt(&self, a: Expression, b: Expression) -> Built {
        self.lt(b, a)
    }

    /// All of the formulas.
    pub fn and(&self, args: &[Expression]) -> Built {
        self.build(args, |store, args| all(store, "and", args, Sort::Bool).map(|()| store.and(args)))
    }

    /// One of the formulas.
    pub fn or(&self, args: &[Expression]) -> Built {
        self.build(args, |store, args| all(store, "or", args, Sort::Bool).map(|()| store.or(args)))
    }

    /// The negation of a formula.
    pub fn not(&self, a: Expression) -> Built {
        self.build(&[a], |store, args| all(store, "not", args, Sort::Bool).map(|()| !args[0]))
    }

    /// The first formula implies the second.
    pub fn implies(&self, a: Expression, b: Expression) -> Built {
        self.build(&[a, b], |store, args| {
            all(store, "=>", args, Sort::Bool)?;
            Ok(store.implies(args[0], args[1]))
        })
    }

    /// One of two terms of one sort, as the condition says.
    pub fn ite(&self, condition: Expression, then: Expression, otherwise: Expression) -> Built {
        self.build(&[condition, then, otherwise], |store, args| {
            all(store, "ite", &args[..1], Sort::Bool)?;
            same(store, "ite", &args[1..])?;
            Ok(store.ite(args[0], args[1], args[2]))
        })
    }

    /// The element of an array at an index.
    pub fn select(&self, array: Expression, index: Expression) -> Built {
        self.build(&[array, index], |store, args| {
            let (index, _) = array_parts(store, "select", args[0])?;
            expect(store, "select", 2, args[1], index)?;
            Ok(store.select(args[0], args[1]))
        })
    }

    /// The array with another element at an index.
    pub fn store(&self, array: Expression, index: Expression, element: Expression) -> Built {
        self.build(&[array, index, element], |store, args| {
            let (index, element) = array_parts(store, "store", args[0])?;
            expect(store, "store", 2, args[1], index)?;
            expect(store, "store", 3, args[2], element)?;
            Ok(store.store_at(args[0], args[1], args[2]))
        })
    }

    /// The array from this index sort with this element everywhere.
    pub fn constant_array(&self, index: Sort, element: Expression) -> Built {
        self.build(&[element], |store, args| {
            let sort = store.array_sort(index, store.sort(args[0]));
            Ok(store.constant_array(sort, args[0]))
        })
    }

    /// A value of a datatype, by the name of its constructor.
    pub fn construct(&self, datatype: Sort, constructor: &str, args: &[Expression]) -> Built {
        self.build(args, |store, args| {
            let symbol = constructor_of(store, datatype, constructor)?.symbol;
            let fields = store.signature(symbol).args.clone();
            let (expected, found) = (fields.len(), args.len());
            if expected != found {
                let predicate = constructor.to_owned();
                return Err(BuildError::ArgumentCount { predicate, expected, found });
            }
            for (position, (&arg, &sort)) in args.iter().zip(&fields[..]).enumerate() {
                expect(store, constructor, position + 1, arg, sort)?;
            }
            Ok(store.construct(symbol, args))
        })
    }

    /// The field of a value of a datatype, by its name.
    pub fn field(&self, name: &str, value: Expression) -> Built {
        self.build(&[value], |store, args| {
            let datatype = store.datatype_of(store.sort(args[0]));
            let constructors = datatype.map_or(&[][..], |datatype| datatype.constructors());
            let selectors = constructors.iter().flat_map(|constructor| constructor.selectors.iter());
            let found: Option<Symbol> = selectors.copied().find(|&selector| store.name(selector) == name);
            let selector = found.ok_or_else(|| BuildError::UnknownField {
                name: name.to_owned(),
                sort: store.display_sort(store.sort(args[0])).to_string(),
            })?;
            Ok(store.select_field(selector, args[0]))
        })
    }

    /// Whether a value of a datatype is made by the constructor of this name.
    pub fn is(&self, constructor: &str, value: Expression) -> Built {
        self.build(&[value], |store, args| {
            let tester = constructor_of(store, store.sort(args[0]), constructor)?.tester;
            Ok(store.test(tester, args[0]))
        })
    }
}

fn constructor_of(store: &Store, datatype: Sort, name: &str) -> Result<Constructor, BuildError> {
    let constructors = store.datatype_of(datatype).map_or(&[][..], |datatype| datatype.constructors());
    let found = constructors.iter().find(|constructor| store.name(constructor.symbol) == name).cloned();
    found.ok_or_else(|| BuildError::UnknownField {
        name: name.to_owned(),
        sort: store.display_sort(datatype).to_string(),
    })
}

fn array_parts(store: &Store, operator: &str, array: Term) -> Result<(Sort, Sort), BuildError> {
    let sort = store.sort(array);
    store.array_parts(sort).ok_or_else(|| sort_error(store, operator, 1, "Array", sort))
}

/// That an argument has this sort; it is counted from one.
fn expect(
    store: &Store,
    operator: &str,
    position: usize,
    arg: Term,
    expected: Sort,
) -> Result<(), BuildError> {
    let found = store.sort(arg);
    if found == expected {
        return Ok(());
    }
    Err(sort_error(store, operator, position, &store.display_sort(expected).to_string(), found))
}

fn all(store: &Store, operator: &str, args: &[Term], expected: Sort) -> Result<(), BuildError> {
    args.iter().enumerate().try_for_each(|(at, &arg)| expect(store, operator, at + 1, arg, expected))
}

/// That all arguments have the sort of the first.
fn same(store: &Store, operator: &str, args: &[Term]) -> Result<(), BuildError> {
    let Some(&first) = args.first() else {
        return Err(BuildError::NoArguments(operator.to_owned()));
    };
    all(store, operator, args, store.sort(first))
}

/// That all arguments are integers, or all are reals.
fn numbers(store: &Store, operator: &str, args: &[Term]) -> Result<(), BuildError> {
    same(store, operator, args)?;
    match store.sort(args[0]) {
        Sort::Int | Sort::Real => Ok(()),
        other => Err(sort_error(store, operator, 1, "Int or Real", other)),
    }
}

fn sort_error(store: &Store, operator: &str, position: usize, expected: &str, found: Sort) -> BuildError {
    let (predicate, expected) = (operator.to_owned(), expected.to_owned());
    BuildError::ArgumentSort { predicate, position, expected, found: store.display_sort(found).to_string() }
}
