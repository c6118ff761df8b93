//! Problems: systems of clauses with their terms.

use std::sync::Arc;

use shem_base::StopToken;
use shem_chc::{
    BuildError, ClauseId, DefinitionText, Derivation, Model, PredicateId, Script, System, SystemBuilder,
    model_texts, size_texts, write_legacy, write_model, write_system,
};
use shem_decide::{
    Answer, Fault, Launch, Observer, Request, Shortening, ShorterDerivation, decide, resident,
    shorter_derivation,
};
use shem_engine::NoEvents;
use shem_term::smtlib::{Command, ErrorKind, Lexer, NamedTerm, ReadError, Reader, Span};
use shem_term::{DatatypeDeclaration, FieldSort, Sort, Store, Term};

use crate::error::ParseError;
use crate::options::Options;
use crate::terms::{IntoTerm, Ownership, Terms};

/// A system of clauses with the store of its terms; see the [example](crate#a-program-with-a-loop).
///
/// Terms and predicates belong to the problem that made them and stay valid as long as it lives: clauses may be added
/// after an answer, and the problem solved again. A call that returns an error has changed nothing.
#[derive(Debug, Default)]
pub struct Problem {
    store: Store,
    ownership: Ownership,
    builder: SystemBuilder,
    /// The text that the problem was read from, as long as nothing was added.
    source: Option<Arc<Vec<u8>>>,
}

impl Clone for Problem {
    fn clone(&self) -> Problem {
        Problem {
            store: self.store.clone(),
            ownership: self.ownership.of_clone(self.store.len()),
            builder: self.builder.clone(),
            source: self.source.clone(),
        }
    }
}

impl Problem {
    /// A problem without predicates and clauses.
    pub fn new() -> Problem {
        Problem::default()
    }

    /// Reads SMT-LIB text: the format of CHC-COMP, or z3's fixed-point form. Of a script with several checks the
    /// problem is that of the first one.
    ///
    /// ```
    /// use libshem::{ErrorKind, Problem};
    ///
    /// let problem = Problem::parse("(declare-fun p (Int) Bool) (assert (forall ((x Int)) (=> (> x 0) (p x))))")?;
    /// assert_eq!(problem.system().clauses.len(), 1);
    ///
    /// let error = Problem::parse("(assert\n  (forall ((x Int)) (q x)))").unwrap_err();
    /// assert_eq!((error.line, error.column, error.kind), (2, 22, ErrorKind::Unknown));
    /// # Ok::<(), libshem::ParseError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Problem, ParseError> {
        let mut store = Store::new();
        let script = Script::read(&mut store, text, &StopToken::new());
        let script = script.map_err(|error| ParseError::new(text, error))?;
        let builder = SystemBuilder::extend(&store, Arc::clone(script.first_system()));
        // Workers answer a check: a text without one is for this process alone.
        let is_checked =
            script.requests.iter().any(|request| matches!(request, shem_chc::Request::Check { .. }));
        let source = is_checked.then(|| Arc::new(text.as_bytes().to_vec()));
        Ok(Problem { store, ownership: Ownership::default(), builder, source })
    }

    /// Declares a predicate with arguments of these sorts.
    ///
    /// # Errors
    /// If a predicate has this name already.
    pub fn declare(&mut self, name: &str, sorts: &[Sort]) -> Result<PredicateId, BuildError> {
        self.source = None;
        self.builder.declare(&mut self.store, name, sorts)
    }

    /// Declares datatypes, whose fields may have sorts of the group: [`FieldSort::Member`] is the one with this position.
    ///
    /// ```
    /// use libshem::{ConstructorDeclaration, DatatypeDeclaration, FieldSort, Options, Problem, Sort};
    ///
    /// let mut problem = Problem::new();
    /// let nil = ConstructorDeclaration::new("nil", &[]);
    /// let fields = [("head", FieldSort::Sort(Sort::Int)), ("tail", FieldSort::Member(0))];
    /// let cons = ConstructorDeclaration::new("cons", &fields);
    /// let list = DatatypeDeclaration { name: "List".into(), constructors: vec![nil, cons] };
    /// let list = problem.declare_datatypes(&[list])?[0];
    ///
    /// // Lists of positive numbers, and a query for one whose head is zero.
    /// let p = problem.declare("p", &[list])?;
    /// let s = problem.terms();
    /// let (n, l) = (s.variable("n", Sort::Int), s.variable("l", list));
    /// let empty = s.apply(p, &[s.construct(list, "nil", &[])?])?;
    /// let longer = s.apply(p, &[s.construct(list, "cons", &[n, l])?])?;
    /// let (here, positive) = (s.apply(p, &[l])?, s.gt(n, s.int(0))?);
    /// let bad = s.and(&[s.is("cons", l)?, s.eq(s.field("head", l)?, s.int(0))?])?;
    /// problem.clause(&[], empty)?;
    /// problem.clause(&[here, positive], longer)?;
    /// problem.query(&[here, bad])?;
    /// assert!(problem.solve(&Options::default())?.model().is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If one has no constructor or no value, or contains itself in an array, or if a field has the sort of a member that
    /// is not there.
    pub fn declare_datatypes(&mut self, group: &[DatatypeDeclaration]) -> Result<Vec<Sort>, BuildError> {
        let fields = group.iter().flat_map(|datatype| &datatype.constructors).flat_map(|made| &made.fields);
        for (name, sort) in fields {
            if matches!(sort, FieldSort::Member(at) if *at >= group.len()) {
                return Err(BuildError::Datatype(format!(
                    "the field {name} is of a datatype outside of the group"
                )));
            }
        }
        self.source = None;
        let declared = self.store.declare_datatypes(group);
        declared.map_err(|error| {
            BuildError::Datatype(format!("the datatype {}: {error}", group[error.member()].name))
        })
    }

    /// Makes terms, with everything checked: sorts, numbers of arguments, and whose terms they are. Calls nest.
    ///
    /// ```
    /// use libshem::{BuildError, Problem, Sort};
    ///
    /// let mut problem = Problem::new();
    /// let inv = problem.declare("Inv", &[Sort::Int])?;
    /// let s = problem.terms();
    /// let x = s.variable("x", Sort::Int);
    /// let (start, here) = (s.eq(x, s.int(0))?, s.apply(inv, &[x])?);
    /// let next = s.apply(inv, &[s.add(&[x, s.int(2)])?])?;
    /// let error = s.add(&[x, s.bool(true)]).unwrap_err();
    /// assert_eq!(error.to_string(), "argument 2 of + must be of sort Int, not Bool");
    /// problem.clause(&[start], here)?;
    /// problem.clause(&[here], next)?;
    ///
    /// // What belongs to another problem is refused.
    /// assert_eq!(Problem::new().query(&[here]), Err(BuildError::Foreign));
    /// # Ok::<(), BuildError>(())
    /// ```
    pub fn terms(&mut self) -> Terms<'_> {
        Terms::new(self)
    }

    /// The predicate with this name.
    pub fn predicate(&self, name: &str) -> Option<PredicateId> {
        self.system().predicate_named(name)
    }

    /// A predicate applied to terms: an atom.
    ///
    /// # Errors
    /// If the predicate was not declared here, or the number of the arguments or their sorts do not fit it.
    pub fn apply(&mut self, predicate: PredicateId, args: &[Term]) -> Result<Term, BuildError> {
        let args = self.known(args)?;
        self.builder.apply(&mut self.store, predicate, &args)
    }

    /// The terms, if they are of this problem.
    pub(crate) fn known(&self, terms: &[impl IntoTerm]) -> Result<Vec<Term>, BuildError> {
        terms.iter().map(|term| term.term_in(self)).collect()
    }

    /// Adds the clause that the formulas of the body, constraints and atoms, together imply the head, whatever the
    /// values of the variables. The same variable in two clauses is two variables.
    ///
    /// # Errors
    /// See [`Problem::assert`].
    pub fn clause<T: IntoTerm>(&mut self, body: &[T], head: T) -> Result<(), BuildError> {
        let (body, head) = (self.known(body)?, head.term_in(self)?);
        self.source = None;
        self.builder.clause(&mut self.store, &body, head)
    }

    /// Adds the clause that the formulas of the body never hold together.
    ///
    /// # Errors
    /// See [`Problem::assert`].
    pub fn query(&mut self, body: &[impl IntoTerm]) -> Result<(), BuildError> {
        let body = self.known(body)?;
        self.clause(&body, Term::FALSE)
    }

    /// Adds a formula, with its free variables quantified universally. It may become several clauses.
    ///
    /// # Errors
    /// If something is no formula over predicates of this problem, or has no conjunctive normal form of Horn clauses.
    pub fn assert(&mut self, formula: impl IntoTerm) -> Result<(), BuildError> {
        let formula = formula.term_in(self)?;
        self.source = None;
        self.builder.assert(&mut self.store, formula)
    }

    /// The predicates and clauses.
    pub fn system(&self) -> &Arc<System> {
        self.builder.system()
    }

    /// The terms of the system and of the witnesses.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The same, to make terms.
    pub fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    pub(crate) fn ownership(&self) -> &Ownership {
        &self.ownership
    }

    /// Decides the problem.
    ///
    /// ```
    /// use libshem::{Cause, Limits, Options, Problem, Undecided, Value, Verdict};
    /// use std::time::Duration;
    ///
    /// let mut problem = Problem::parse(
    ///     "(declare-fun Inv (Int) Bool)
    ///      (assert (forall ((x Int)) (=> (= x 0) (Inv x))))
    ///      (assert (forall ((x Int)) (=> (Inv x) (Inv (+ x 1)))))
    ///      (assert (forall ((x Int)) (=> (and (Inv x) (>= x 2)) false)))",
    /// )?;
    /// let answer = problem.solve(&Options::default())?;
    /// // Inv(0), Inv(1), Inv(2), falsehood: each step has its clause, its premises and its values.
    /// let derivation = answer.derivation().expect("falsehood can be derived");
    /// let values: Vec<_> = derivation.steps().flat_map(|(_, step)| step.values.to_vec()).collect();
    /// assert_eq!(values, [0, 1, 2].map(|number| Value::Num(number.into())));
    ///
    /// let limits = Limits { time: Some(Duration::ZERO), memory: None };
    /// let answer = problem.solve(&Options { limits, ..Options::default() })?;
    /// assert!(matches!(answer.verdict, Verdict::Unknown(Undecided::Ended(Cause::Time(_)))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a mistake of ours was noticed: a witness that is wrong, or two engines that contradict each other.
    pub fn solve(&mut self, options: &Options) -> Result<Answer, Fault> {
        self.solve_observed(options, &mut NoEvents)
    }

    /// Decides the problem, and tells the observer what happens meanwhile.
    ///
    /// ```
    /// use libshem::{Events, Observer, Options, Problem, Progress};
    ///
    /// struct Engines(Vec<&'static str>);
    ///
    /// impl Events for Engines {
    ///     fn progress(&mut self, _: Progress) {}
    /// }
    ///
    /// impl Observer for Engines {
    ///     fn engine(&mut self, name: &'static str) {
    ///         self.0.push(name);
    ///     }
    /// }
    ///
    /// let mut problem = Problem::parse(
    ///     "(declare-fun p (Int) Bool)
    ///      (assert (forall ((x Int)) (=> (= x 0) (p x))))
    ///      (assert (forall ((x Int)) (=> (p x) (p (+ x 2)))))
    ///      (assert (forall ((x Int)) (=> (and (p x) (= x 7)) false)))",
    /// )?;
    /// let mut engines = Engines(Vec::new());
    /// problem.solve_observed(&Options::by_engine("spacer")?, &mut engines)?;
    /// assert!(engines.0.iter().all(|name| *name == "spacer"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Problem::solve`].
    pub fn solve_observed(
        &mut self,
        options: &Options,
        observer: &mut dyn Observer,
    ) -> Result<Answer, Fault> {
        let system = &Arc::clone(self.system());
        let solve = &options.solve_options();
        let launch = self.launch(options);
        let request = Request { system, options: solve, launch: launch.as_ref() };
        let watch = options.limits.watch(&options.stop);
        let mut answer = decide(&mut self.store, &request, watch.token(), observer)?;
        if let Some(cause) = watch.cause() {
            answer.verdict.blame(cause);
        }
        if options.limits.memory.is_some() && resident().is_none() {
            answer.warnings.push("the memory limit is not watched on this system".to_owned());
        }
        Ok(answer)
    }

    /// A derivation from the clauses of this problem with fewer steps or smaller values, judged like the first one:
    /// whatever engine was first, people want to see a short run.
    ///
    /// ```
    /// use libshem::{Options, Problem, Shortening};
    ///
    /// let mut problem = Problem::parse(
    ///     "(declare-fun p (Int) Bool)
    ///      (assert (forall ((x Int)) (=> (>= x 0) (p x))))
    ///      (assert (forall ((x Int)) (=> (p x) (p (+ x 1)))))
    ///      (assert (forall ((x Int)) (=> (and (p x) (> x 1000)) false)))",
    /// )?;
    /// let answer = problem.solve(&Options::default())?;
    /// let derivation = answer.derivation().expect("falsehood can be derived");
    /// let shorter = problem.shorter_derivation(derivation, Shortening::Shortest);
    /// assert!(shorter.is_shortest && shorter.left == 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shorter_derivation(
        &mut self,
        derivation: &Derivation<ClauseId>,
        shortening: Shortening,
    ) -> ShorterDerivation {
        let system = Arc::clone(self.system());
        shorter_derivation(&mut self.store, &system, derivation, shortening, &StopToken::new())
    }

    /// How engines are started in processes, if they are.
    fn launch(&self, options: &Options) -> Option<Launch> {
        let workers =
            options.workers.as_ref().filter(|_| options.engine.is_none() && !options.deterministic)?;
        Some(Launch {
            program: workers.program.clone(),
            text: self.source.clone().unwrap_or_default(),
            check: 1,
            words: options.engine_words(),
            jobs: workers.jobs,
            memory: options.limits.memory,
            memory_limit: options.limits.memory,
            queries: None,
        })
    }

    /// A model of this problem in SMT-LIB: a list with a `define-fun` for each predicate.
    pub fn model_text(&self, model: &Model) -> String {
        text(|out| write_model(out, &self.store, self.system(), model))
    }

    /// The definitions of a model of this problem, one for each predicate, each formula as text in SMT-LIB.
    pub fn definitions(&self, model: &Model) -> Vec<DefinitionText> {
        model_texts(&self.store, self.system(), model)
    }

    /// The commands that define the recursive functions which occur in the definitions of a model: sizes of datatypes.
    pub fn recursive_definitions(&self, model: &Model) -> Vec<String> {
        size_texts(&self.store, self.system(), model)
    }

    /// A derivation from the clauses of this problem: one line for each fact, with the numbers of its premises. If it
    /// has more than a million steps, by [repetitions](Derivation::nodes), only their number is told, as a comment.
    pub fn derivation_text(&self, derivation: &Derivation<ClauseId>) -> String {
        if derivation.step_count() > MOST_STEPS {
            return format!("; {} steps\n", derivation.step_count());
        }
        text(|out| write_legacy(out, &self.store, self.system(), derivation))
    }

    /// The problem in SMT-LIB, in the format of CHC-COMP.
    pub fn text(&mut self) -> String {
        let system = Arc::clone(self.system());
        text(|out| write_system(out, &mut self.store, &system))
    }
}

/// A term of SMT-LIB as Shem keeps it: constants folded, sums and products collected, trivial parts gone. The commands
/// declare the symbols that occur in it.
///
/// ```
/// let term = libshem::canonical_term("(declare-const x Int)", "(+ x 1 (* 2 x) 4)")?;
/// assert_eq!(term, "(+ (* 3 x) 5)");
/// # Ok::<(), libshem::ParseError>(())
/// ```
///
/// # Errors
/// If something is not SMT-LIB, or is not one term.
pub fn canonical_term(commands: &str, term: &str) -> Result<String, ParseError> {
    let text = format!("{commands}\n(get-value ({term}))");
    let (mut store, mut reader) = (Store::new(), Reader::new());
    reader.set_bit_vectors(true);
    let mut read = || {
        let mut lexer = Lexer::new(&text)?;
        let mut terms = Vec::new();
        while let Some((command, _)) = reader.next_command(&mut lexer, &mut store)? {
            if let Command::GetValue(found) = command {
                terms = found;
            }
        }
        match terms[..] {
            [NamedTerm { term, .. }] => Ok(term),
            _ => {
                let span = Span { start: 0, end: lexer.offset() };
                Err(ReadError::new(ErrorKind::Syntax, span, "this is not one term"))
            }
        }
    };
    let term = read().map_err(|error| ParseError::new(&text, error))?;
    Ok(store.display(term).to_string())
}

/// The number of steps up to which derivations are written.
const MOST_STEPS: u64 = 1_000_000;

/// What is written.
fn text(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut bytes = Vec::new();
    write(&mut bytes).expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("what is written is text")
}
