//! The interface of the solver.

use shem_base::{Budget, Lit, Statistics, StopToken, UnknownReason, Work};
use shem_proof::{AtomMeaning, Origin, ProofLog, ProofSink};
use shem_term::{Sort, Store, Term};

use super::answer::{Answer, Status};
use super::core::Core;
use super::group::{Group, GroupState, Groups};
use super::instance::{Instantiation, Variable};
use super::meaning::Ledger;
use super::observer::{Observation, QueryObserver};
use crate::arith::{ArithOptions, ArithVar};
use crate::bits::{BitOptions, Words};
use crate::cnf::{Compiler, Memo, Names, Target, Template};
use crate::equality::Node;
use crate::interpolate::Interpolation;
use crate::product::{NodeValues, Theories};
use crate::sat::SolveResult;

/// The units of work after which the circuits of a scope that is opened are left to the next check: about a million
/// gates.
const WORK_OF_PUSH: u64 = 12_800;

/// Settings of a [`Solver`].
#[derive(Clone, Debug, Default)]
pub struct SolverOptions {
    /// Settings of the arithmetic.
    pub arith: ArithOptions,
    /// Settings of bit-vectors.
    pub bits: BitOptions,
}

/// An incremental solver for arithmetic over reals and integers, bit-vectors, functions, arrays and datatypes.
///
/// Terms are of a [`Store`] that is passed to each call; one solver is used with one store. Assertions and
/// everything compiled for them live until the scope in which they were made is closed. Nothing is
/// rebuilt from one check to the next.
///
/// ```
/// use shem_base::Budget;
/// use shem_smt::{Answer, Solver};
/// use shem_term::{Sort, Store};
///
/// let mut store = Store::new();
/// let mut solver = Solver::new(Default::default());
/// let x = store.variable("x", Sort::Int);
/// let y = store.variable("y", Sort::Int);
/// let (one, two) = (store.int(1), store.int(2));
///
/// // x = 2y has models,
/// let double = store.add(&[y, y]);
/// let even = store.eq(x, double);
/// solver.assert(&mut store, even);
/// let Answer::Sat(mut solution) = solver.check(&mut store, &mut Budget::unlimited()) else { panic!() };
/// assert!(solution.model().get(store.as_var(x).unwrap()).is_some());
///
/// // but none where x is odd, too.
/// solver.push();
/// let z = store.variable("z", Sort::Int);
/// let odd = store.linear(&[(2.into(), z)], &1.into(), Sort::Int);
/// let odd = store.eq(x, odd);
/// solver.assert(&mut store, odd);
/// assert!(solver.check(&mut store, &mut Budget::unlimited()).is_unsat());
/// solver.pop();
///
/// // Assumptions hold for one check; the core names those that were needed.
/// let low = store.le(x, one);
/// let high = store.gt(x, two);
/// let positive = store.ge(y, one);
/// let assumptions = [low, high, positive];
/// match solver.check_assuming(&mut store, &assumptions, &mut Budget::unlimited()) {
///     Answer::Unsat(refutation) => assert_eq!(refutation.failed_assumptions(), [low, high]),
///     other => panic!("{other}"),
/// }
/// ```
///
/// An answer borrows the solver, so it cannot be asked once the assertions have changed:
///
/// ```compile_fail,E0499
/// # use shem_base::Budget;
/// # use shem_smt::{Answer, Solver};
/// # use shem_term::{Sort, Store};
/// let mut store = Store::new();
/// let mut solver = Solver::new(Default::default());
/// let p = store.variable("p", Sort::Bool);
/// if let Answer::Sat(mut solution) = solver.check(&mut store, &mut Budget::unlimited()) {
///     solver.assert(&mut store, p);
///     solution.model();
/// }
/// ```
pub struct Solver<P = ProofLog> {
    pub(super) core: Core<P>,
    pub(super) memo: Memo<ArithVar, ArithVar, Node>,
    compiler: Compiler<ArithVar, Node>,
    instantiation: Instantiation,
    pub(super) groups: Groups,
    pub(super) ledger: Ledger,
    pub(crate) interpolation: Interpolation,
    /// The number of assertions, and that at each open scope.
    assertions: u32,
    marks: Vec<u32>,
    /// The assumptions of the last check and their literals.
    pub(super) assumed: Vec<(Lit, Term)>,
    /// The values of nodes in the model of the last check, if it found one.
    pub(super) values: NodeValues,
    lits: Vec<Lit>,
    pub(super) observation: Observation,
    checks: u64,
}

impl Solver<ProofLog> {
    /// A solver without assertions that records its derivations.
    pub fn new(options: SolverOptions) -> Self {
        Solver::with_proof(options, ProofLog::default())
    }
}

impl<P: ProofSink> Solver<P> {
    /// A solver without assertions that reports its derivations to `proof`.
    pub fn with_proof(options: SolverOptions, proof: P) -> Self {
        Solver {
            core: Core::new(Theories::new(options.arith), proof, options.bits),
            memo: Memo::default(),
            compiler: Compiler::default(),
            instantiation: Instantiation::default(),
            groups: Groups::default(),
            ledger: Ledger::default(),
            interpolation: Interpolation::default(),
            assertions: 0,
            marks: Vec::new(),
            assumed: Vec::new(),
            values: NodeValues::default(),
            lits: Vec::new(),
            observation: Observation::default(),
            checks: 0,
        }
    }

    /// Lets the search follow a seed: where choices are as good, and at times where they are not, it decides. The same
    /// seed gives the same run; 0, the seed of a new solver, means no randomness. It is to be set before the first
    /// assertion.
    pub fn set_seed(&mut self, seed: u64) {
        self.core.sat.set_seed(seed);
        self.core.sat.theory_mut().arith.set_seed(seed);
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        self.observation.report(|observer| observer.push());
        // What a limit leaves out here is made when it is asked for.
        let stop = StopToken::after_work(&StopToken::new(), WORK_OF_PUSH);
        let _ = self.core.make_words(&Budget::until(stop));
        self.core.push();
        self.memo.push();
        self.groups.push();
        self.ledger.push();
        self.marks.push(self.assertions);
    }

    /// Closes the innermost scope: assertions, variables, templates' instances and groups made in it are
    /// gone.
    ///
    /// # Panics
    /// If no scope is open.
    pub fn pop(&mut self) {
        self.observation.report(|observer| observer.pop());
        self.assertions = self.marks.pop().expect("a scope is open");
        self.release_groups();
        self.groups.pop();
        self.memo.pop();
        self.core.pop();
        self.ledger.pop(&mut self.core);
        self.assumed.clear();
    }

    /// The number of open scopes.
    pub fn depth(&self) -> usize {
        self.marks.len()
    }

    /// Asserts a formula and returns its number: how many assertions there were before.
    pub fn assert(&mut self, store: &mut Store, formula: Term) -> u32 {
        let number = self.next_assertion();
        self.observation.report(|observer| observer.assert(store, formula));
        self.ledger.add_formula(formula);
        self.compile(store, formula, None, Origin::Assertion(number));
        number
    }

    /// The number of variables, propositional and arithmetic, and of nodes.
    pub(crate) fn sizes(&self) -> [usize; 3] {
        [self.core.sat.num_vars(), self.core.sat.theory().arith.var_count(), self.core.node_count()]
    }

    /// Takes note that the last assertion made all younger variables and nodes for itself.
    fn own_since(&mut self, [vars, numbers, nodes]: [usize; 3], names: Option<Names<ArithVar>>) {
        let [vars_end, numbers_end, nodes_end] = self.sizes();
        self.ledger.add_auxiliaries(vars..vars_end, numbers..numbers_end, nodes..nodes_end, names);
    }

    fn next_assertion(&mut self) -> u32 {
        self.assertions += 1;
        self.assertions - 1
    }

    fn compile(&mut self, store: &mut Store, formula: Term, guard: Option<Lit>, origin: Origin) {
        self.compiler.assert(store, &mut self.memo, &mut self.core, formula, guard, origin);
    }

    /// Asserts an instance of a template, with these variables for its formals.
    ///
    /// ```
    /// use shem_base::Budget;
    /// use shem_smt::{Answer, Solver, Template, Variable};
    /// use shem_term::{Sort, Store};
    ///
    /// let mut store = Store::new();
    /// let x = store.variable("x", Sort::Int);
    /// let next = store.variable("x'", Sort::Int);
    /// let step = store.linear(&[(1.into(), x)], &1.into(), Sort::Int);
    /// let step = store.eq(next, step);
    /// let step = Template::new(&mut store, step, &[x, next]);
    ///
    /// // x0 = 0, and a thousand steps: x1000 is 1000.
    /// let mut solver = Solver::new(Default::default());
    /// let zero = store.int(0);
    /// let start = store.eq(x, zero);
    /// solver.assert(&mut store, start);
    /// let mut state = solver.variable(&mut store, x);
    /// for _ in 0..1000 {
    ///     let successor = solver.fresh(Sort::Int);
    ///     solver.instantiate(&mut store, &step, &[state, successor]);
    ///     state = successor;
    /// }
    /// let Answer::Sat(mut solution) = solver.check(&mut store, &mut Budget::unlimited()) else { panic!() };
    /// assert_eq!(solution.value(state).as_num(), Some(&1000.into()));
    /// ```
    pub fn instantiate(&mut self, store: &mut Store, template: &Template, actuals: &[Variable]) -> u32 {
        let number = self.next_assertion();
        self.observation.report(|observer| observer.instantiate(store, template, actuals));
        self.ledger.add_instance(template, actuals);
        let before = self.sizes();
        self.instantiation.run(&mut self.core, store, template, actuals, None, Origin::Assertion(number));
        self.own_since(before, None);
        number
    }

    /// The solver's variable for a variable of the store.
    pub fn variable(&mut self, store: &mut Store, term: Term) -> Variable {
        let symbol = store.as_var(term).expect("a variable");
        let variable = match store.sort(term) {
            Sort::Bool => Variable::Bool(self.core.boolean(store, symbol).xor(term.is_negated())),
            Sort::Int | Sort::Real => Variable::Number(self.core.number(store, symbol)),
            _ => Variable::Node(self.core.symbol_node(store, symbol, term)),
        };
        self.observation.report(|observer| observer.name_variable(store, symbol, variable));
        variable
    }

    /// A new variable without a symbol. It lives as long as the current scope. See [`Solver::fresh_of`] for
    /// variables of other sorts.
    ///
    /// # Panics
    /// If the sort is neither Boolean nor arithmetic.
    pub fn fresh(&mut self, sort: Sort) -> Variable {
        let variable = match sort {
            Sort::Bool => Variable::Bool(self.core.gate()),
            Sort::Int => Variable::Number(self.core.auxiliary(true)),
            Sort::Real => Variable::Number(self.core.auxiliary(false)),
            _ => panic!("a truth value or a number"),
        };
        self.observation
            .report(|observer| observer.declare_fresh(variable, sort.basic_name().expect("matched")));
        variable
    }

    /// A new variable of any sort, without a symbol. It lives as long as the current scope.
    pub fn fresh_of(&mut self, store: &Store, sort: Sort) -> Variable {
        if sort.is_basic() {
            return self.fresh(sort);
        }
        let variable = Variable::Node(self.core.new_leaf(store, sort));
        self.observation
            .report(|observer| observer.declare_fresh(variable, &store.display_sort(sort).to_string()));
        variable
    }

    /// A new group of formulas, switched off.
    pub fn new_group(&mut self) -> Group {
        let guard = self.core.new_guard();
        let depth = self.depth();
        self.groups.states.push(GroupState { guard, depth, vars: Vec::new(), active: false, wanted: false });
        let group = Group(self.groups.states.len() as u32 - 1);
        self.observation.report(|observer| observer.declare_fresh(Variable::Bool(guard), "Bool"));
        group
    }

    /// Asserts a formula in a group: it holds in the checks that name the group.
    ///
    /// # Panics
    /// If a scope has been opened since the group was made.
    pub fn assert_in_group(&mut self, store: &mut Store, group: Group, formula: Term) -> u32 {
        let number = self.next_assertion();
        let GroupState { guard, depth, .. } = self.groups.states[group.0 as usize];
        assert_eq!(depth, self.depth(), "a group is filled in the scope in which it was made");
        self.observation.report(|observer| observer.assert_guarded(store, guard, formula));
        self.core.recording = Some(Vec::new());
        // Gates are the group's own: only atoms are shared with other formulas.
        let mut memo = Memo::default();
        let origin = Origin::Assertion(number);
        self.ledger.add_formula(formula);
        let before = self.sizes();
        self.compiler.assert(store, &mut memo, &mut self.core, formula, Some(guard), origin);
        self.own_since(before, Some(memo.into_names()));
        let used = self.core.recording.take().expect("set above");
        let state = &mut self.groups.states[group.0 as usize];
        let was_active = state.active;
        let mut added = used;
        added.sort_unstable();
        added.dedup();
        added.retain(|v| state.vars.binary_search(v).is_err());
        if was_active {
            for &var in &added {
                self.core.sat.retain(var);
            }
        }
        state.vars.extend_from_slice(&added);
        state.vars.sort_unstable();
        number
    }

    /// Switches off the groups of the innermost scope, which is to be closed. The others stay as they are, so
    /// that the next query touches only what differs from this one.
    fn release_groups(&mut self) {
        let mark = self.groups.mark();
        let Groups { states, active, .. } = &mut self.groups;
        for state in &mut states[mark..] {
            if std::mem::replace(&mut state.active, false) {
                for &var in &state.vars {
                    self.core.sat.release(var);
                }
            }
        }
        active.retain(|group| (group.0 as usize) < mark);
    }

    /// Drops the formulas of a group for good. It holds nothing from now on and is not to be named again.
    ///
    /// # Panics
    /// If a scope has been opened since the group was made.
    pub fn drop_group(&mut self, group: Group) {
        let depth = self.depth();
        let Groups { states, active, .. } = &mut self.groups;
        let state = &mut states[group.0 as usize];
        assert_eq!(state.depth, depth, "a group is dropped in the scope in which it was made");
        active.retain(|other| *other != group);
        let vars = std::mem::take(&mut state.vars);
        if std::mem::replace(&mut state.active, false) {
            for var in vars {
                self.core.sat.release(var);
            }
        }
        // Nothing but the formulas mentions the guard, so this is no assertion and has no place in a recording.
        self.core.sat.retire_guard(state.guard);
    }

    /// Switches on exactly these groups.
    fn switch_groups(&mut self, wanted: &[Group]) {
        let Groups { states, active, .. } = &mut self.groups;
        if active == wanted {
            return;
        }
        let before = std::mem::replace(active, wanted.to_vec());
        // What is wanted is retained before the others are released, so that shared variables never sleep.
        for group in wanted {
            states[group.0 as usize].wanted = true;
        }
        for group in wanted {
            let state = &mut states[group.0 as usize];
            if !std::mem::replace(&mut state.active, true) {
                for &var in &state.vars {
                    self.core.sat.retain(var);
                }
            }
        }
        for group in before {
            let state = &mut states[group.0 as usize];
            if !state.wanted && std::mem::replace(&mut state.active, false) {
                for &var in &state.vars {
                    self.core.sat.release(var);
                }
            }
        }
        for group in wanted {
            states[group.0 as usize].wanted = false;
        }
    }

    /// Decides the assertions.
    pub fn check(&mut self, store: &mut Store, budget: &mut Budget) -> Answer<'_, P> {
        self.check_with(store, &[], &[], budget)
    }

    /// Decides the assertions together with the assumptions.
    pub fn check_assuming(
        &mut self,
        store: &mut Store,
        assumptions: &[Term],
        budget: &mut Budget,
    ) -> Answer<'_, P> {
        self.check_with(store, &[], assumptions, budget)
    }

    /// Decides the assertions together with the assumptions, for whoever keeps the solver in the answer: where there
    /// is none, the solver comes back with the reason.
    pub fn into_answer(
        &mut self,
        store: &mut Store,
        assumptions: &[Term],
        budget: &mut Budget,
    ) -> Result<Answer<'_, P>, (UnknownReason, &mut Solver<P>)> {
        match self.check_assuming(store, assumptions, budget).status() {
            Status::Unknown(reason) => Err((reason, self)),
            status => Ok(Answer::new(status, self)),
        }
    }

    /// Decides the assertions together with the formulas of these groups and the assumptions.
    pub fn check_with(
        &mut self,
        store: &mut Store,
        groups: &[Group],
        assumptions: &[Term],
        budget: &mut Budget,
    ) -> Answer<'_, P> {
        self.check_literals(store, (groups, assumptions, &[]), budget)
    }

    /// The literal of an assumption.
    pub(super) fn compile_assumption(&mut self, store: &mut Store, term: Term) -> Lit {
        self.compiler.literal(store, &mut self.memo, &mut self.core, term)
    }

    /// Decides the assertions together with the formulas of these groups, the assumptions and the literals of a cube.
    pub(super) fn check_literals(
        &mut self,
        store: &mut Store,
        (groups, assumptions, cube): (&[Group], &[Term], &[Lit]),
        budget: &mut Budget,
    ) -> Answer<'_, P> {
        self.checks += 1;
        let since = budget.meter.begin();
        self.switch_groups(groups);
        self.lits.clear();
        self.assumed.clear();
        self.lits.extend(groups.iter().map(|g| self.groups.states[g.0 as usize].guard));
        for &term in assumptions {
            let lit = self.compile_assumption(store, term);
            self.lits.push(lit);
            self.assumed.push((lit, term));
        }
        self.lits.extend_from_slice(cube);
        let result = match self.core.make_words(budget) {
            Ok(()) => self.core.sat.solve(&self.lits, budget),
            Err(reason) => SolveResult::Unknown(reason),
        };
        let status = match result {
            SolveResult::Sat if self.core.opaque_count() > 0 => {
                Status::Unknown(UnknownReason::Incomplete("quantifiers are not interpreted"))
            }
            SolveResult::Sat => self.find_values(store),
            SolveResult::Unsat => Status::Unsat,
            SolveResult::Unknown(reason) => Status::Unknown(reason),
        };
        let depth = self.core.sat.check_depth();
        budget.meter.end(since, Work::Query { depth, sat: status == Status::Sat });
        let guards = &self.lits[..groups.len()];
        self.observation.report(|observer| observer.check(store, guards, assumptions, status));
        Answer::new(status, self)
    }

    /// Makes and confirms the values of the nodes after a search that found a model, if there are nodes.
    fn find_values(&mut self, store: &Store) -> Status {
        let Theories { arith, combination, .. } = self.core.sat.theory_mut();
        let Some(combination) = combination else { return Status::Sat };
        arith.model();
        match NodeValues::new(combination, arith, store) {
            Ok(values) => {
                self.values = values;
                Status::Sat
            }
            Err(failure) => Status::Unknown(UnknownReason::Incomplete(failure)),
        }
    }

    /// The words of bit-vectors, if there are sorts of them.
    pub(crate) fn words(&self) -> Option<&Words> {
        self.core.words()
    }

    /// Whether some product or quotient was left abstract ([`BitOptions::abstract_from`]).
    pub fn has_abstractions(&self) -> bool {
        self.core.words().is_some_and(Words::is_abstract)
    }

    /// Whether arithmetic has been told of words.
    pub(crate) fn converts_words(&self) -> bool {
        !self.core.parts.is_empty()
    }

    /// What the atoms mean, for the [checker of proofs](shem_proof::check).
    pub fn atoms(&self) -> &impl AtomMeaning {
        self.core.sat.theory()
    }

    /// Tells the observer of every query from now on, in place of the one before. A
    /// [`Recorder`](crate::Recorder) writes the queries as an SMT-LIB script.
    pub fn observe(&mut self, observer: impl QueryObserver + 'static) {
        self.observation.start(Box::new(observer));
    }

    /// Counters of the work done.
    pub fn statistics(&self) -> Statistics {
        let mut out = Statistics::default();
        out.add("checks", self.checks);
        self.core.sat.statistics().report(&mut out);
        out.merge_prefixed("", &self.core.sat.theory().statistics());
        if !self.interpolation.counters.is_zero() {
            out.merge_prefixed("interpolation", &self.interpolation.counters.report());
        }
        out
    }
}
