//! The search for a finite structure.
//!
//! A variable of the SAT core says that a function has a value at some arguments, or that a predicate holds of them. The
//! core proposes a structure, all clauses are evaluated in it, and instances that do not hold are added. Enumerations and
//! truth values are themselves; of other constants the first is the element 0, and the next ones use no element before
//! those below it.

use std::collections::BTreeMap;

use shem_base::{Budget, Lit, UnknownReason};
use shem_chc::VertexId;
use shem_proof::{NoProof, Origin};
use shem_smt::sat::{Sat, SatStatistics, SolveResult};
use shem_smt::theory::NoTheory;
use shem_term::{Sort, Store};

use super::clause::{Clause, Function, Node, Sorts};

/// The entries that a table may have.
const MOST_ENTRIES: usize = 50_000;
/// The instances of one clause that are added for one structure.
const MOST_INSTANCES: usize = 100;
/// The assignments to the variables of one clause that are looked at for one structure.
const MOST_ASSIGNMENTS: usize = 3_000_000;

/// A table with an entry for each combination of arguments; that of the last argument changes first.
#[derive(Clone, Debug)]
struct Table {
    bounds: Vec<usize>,
    /// The first literal of each entry: a function has one literal for each value.
    literals: Vec<Lit>,
    /// The values in the last structure.
    values: Vec<usize>,
    /// How many values there are.
    range: usize,
    /// Whether the values are given.
    is_fixed: bool,
}

impl Table {
    fn entry(&self, args: impl Iterator<Item = usize>) -> usize {
        args.zip(&self.bounds).fold(0, |at, (arg, bound)| at * bound + arg)
    }
}

/// A structure, and the search for it.
pub(super) struct Structure<'a> {
    clauses: &'a [Clause],
    pub(super) bounds: Vec<usize>,
    sat: Sat<NoTheory, NoProof>,
    functions: BTreeMap<Function, Table>,
    predicates: BTreeMap<VertexId, Table>,
}

/// What became of a search.
pub(super) enum Found {
    Structure,
    /// There is none with these domains.
    Nothing,
}

impl<'a> Structure<'a> {
    /// Tables for domains of this many elements, fewer where a sort has fewer values; `None` if one is too large.
    pub(super) fn new(
        store: &Store,
        sorts: &mut Sorts,
        clauses: &'a [Clause],
        predicates: &BTreeMap<VertexId, Vec<Sort>>,
        elements: usize,
        seed: u64,
    ) -> Option<Structure<'a>> {
        let mut bounds = Vec::new();
        for &sort in &sorts.list {
            bounds.push(if is_enumeration(store, sort) {
                store.cardinality(sort).filter(|&count| count <= MOST_ENTRIES as u64)? as usize
            } else {
                elements
            });
        }
        let mut sat = Sat::new(NoTheory, NoProof);
        sat.set_seed(seed);
        let mut functions = BTreeMap::new();
        for (number, &sort) in sorts.list.clone().iter().enumerate() {
            let range = bounds[number];
            let is_fixed = is_enumeration(store, sort);
            let given = |value: usize| Table {
                bounds: Vec::new(),
                literals: Vec::new(),
                values: vec![value],
                range,
                is_fixed: true,
            };
            let Some(datatype) = store.datatype_of(sort) else {
                functions.insert(Function::Truth(false), given(0));
                functions.insert(Function::Truth(true), given(1));
                continue;
            };
            let mut constants = 0;
            for (at, constructor) in datatype.constructors().iter().enumerate() {
                let function = Function::Constructor(constructor.symbol);
                if is_fixed {
                    functions.insert(function, given(at));
                    continue;
                }
                let args = &store.signature(constructor.symbol).args;
                let args: Vec<usize> = args
                    .iter()
                    .filter_map(|&arg| sorts.of_field(store, arg))
                    .map(|arg| bounds[arg])
                    .collect();
                let table = Table::of_function(&mut sat, args, range)?;
                if table.bounds.is_empty() {
                    let most = (constants + 1).min(range);
                    let lits: Vec<Lit> = (0..most).map(|value| table.literal(0, value)).collect();
                    sat.add_clause(&lits, Origin::Definition);
                    constants += 1;
                }
                functions.insert(function, table);
            }
        }
        let mut tables = BTreeMap::new();
        for (&vertex, arguments) in predicates {
            let args: Vec<usize> = arguments
                .iter()
                .filter_map(|&sort| sorts.number(store, sort))
                .map(|arg| bounds[arg])
                .collect();
            tables.insert(vertex, Table::of_predicate(&mut sat, args)?);
        }
        Some(Structure { clauses, bounds, sat, functions, predicates: tables })
    }

    /// Looks for a structure.
    pub(super) fn search(&mut self, budget: &mut Budget) -> Result<Found, UnknownReason> {
        loop {
            budget.check_stop()?;
            match self.sat.solve(&[], budget) {
                SolveResult::Unsat => return Ok(Found::Nothing),
                SolveResult::Unknown(reason) => return Err(reason),
                SolveResult::Sat => {}
            }
            for table in self.functions.values_mut().filter(|table| !table.is_fixed) {
                for at in 0..table.values.len() {
                    let is_value = |&value: &usize| self.sat.value(table.literal(at, value)) == Some(true);
                    table.values[at] = (0..table.range).find(is_value).expect("a function has a value");
                }
            }
            for table in self.predicates.values_mut() {
                for at in 0..table.values.len() {
                    table.values[at] = usize::from(self.sat.value(table.literals[at]) == Some(true));
                }
            }
            let mut instances = Vec::new();
            for clause in self.clauses {
                budget.check_stop()?;
                self.violated(clause, &mut instances)?;
            }
            if instances.is_empty() {
                return Ok(Found::Structure);
            }
            for instance in instances {
                self.sat.add_clause(&instance, Origin::Definition);
            }
        }
    }

    /// The counters of the search.
    pub(super) fn statistics(&self) -> &SatStatistics {
        self.sat.statistics()
    }

    /// The table of a function, for all combinations of its arguments.
    pub(super) fn function(&self, function: Function) -> &[usize] {
        &self.functions[&function].values
    }

    /// Whether a predicate holds, for all combinations of its arguments.
    pub(super) fn relation(&self, vertex: VertexId) -> &[usize] {
        &self.predicates[&vertex].values
    }

    /// Instances of a clause that do not hold, as clauses of the SAT core.
    fn violated(&self, clause: &Clause, instances: &mut Vec<Vec<Lit>>) -> Result<(), UnknownReason> {
        let plan = Plan::of(clause);
        let mut values: Vec<usize> = vec![0; clause.nodes.len()];
        let mut depth = 0;
        let mut next: Vec<usize> = vec![0; plan.steps.len()];
        let (mut looked, mut found) = (0, 0);
        if plan.steps.is_empty() {
            unreachable!("a plan has a last step");
        }
        loop {
            let step = &plan.steps[depth];
            let bound = step.variable.map_or(1, |(_, sort)| self.bounds[sort]);
            if next[depth] == bound {
                next[depth] = 0;
                if depth == 0 {
                    return Ok(());
                }
                depth -= 1;
                continue;
            }
            looked += 1;
            if looked > MOST_ASSIGNMENTS {
                return Err(UnknownReason::Incomplete(
                    "a clause has too many instances over a finite domain",
                ));
            }
            if let Some((node, _)) = step.variable {
                values[node] = next[depth];
            }
            next[depth] += 1;
            for &node in &step.nodes {
                let Node::Apply(function, args) = &clause.nodes[node] else { continue };
                let table = &self.functions[function];
                values[node] = table.values[table.entry(args.iter().map(|&arg| values[arg]))];
            }
            let holds = |at: usize| {
                let atom = &clause.body[at];
                let table = &self.predicates[&atom.vertex];
                table.values[table.entry(atom.args.iter().map(|&arg| values[arg]))] == 1
            };
            let differ = |&(a, b): &(usize, usize)| values[a] != values[b];
            if !step.atoms.iter().all(|&at| holds(at)) || !step.different.iter().all(differ) {
                continue;
            }
            if depth + 1 < plan.steps.len() {
                depth += 1;
                continue;
            }
            let instance = self.instance(clause, &values);
            if let Some(instance) = instance {
                instances.push(instance);
                found += 1;
                if found == MOST_INSTANCES {
                    return Ok(());
                }
            }
        }
    }

    /// The instance of a clause whose body holds, unless its head holds, too.
    fn instance(&self, clause: &Clause, values: &[usize]) -> Option<Vec<Lit>> {
        let mut lits = Vec::new();
        if let Some(head) = &clause.head {
            let table = &self.predicates[&head.vertex];
            let at = table.entry(head.args.iter().map(|&arg| values[arg]));
            if table.values[at] == 1 {
                return None;
            }
            lits.push(table.literals[at]);
        }
        for atom in &clause.body {
            let table = &self.predicates[&atom.vertex];
            lits.push(!table.literals[table.entry(atom.args.iter().map(|&arg| values[arg]))]);
        }
        for (node, &value) in clause.nodes.iter().zip(values) {
            let Node::Apply(function, args) = node else { continue };
            let table = &self.functions[function];
            if !table.is_fixed {
                let at = table.entry(args.iter().map(|&arg| values[arg]));
                lits.push(!table.literal(at, value));
            }
        }
        Some(lits)
    }
}

impl Table {
    fn of_function(sat: &mut Sat<NoTheory, NoProof>, bounds: Vec<usize>, range: usize) -> Option<Table> {
        let entries = entries(&bounds, range)?;
        let literals: Vec<Lit> = (0..entries * range).map(|_| sat.new_var().positive()).collect();
        for values in literals.chunks(range) {
            sat.add_clause(values, Origin::Definition);
            for (at, &a) in values.iter().enumerate() {
                for &b in &values[at + 1..] {
                    sat.add_clause(&[!a, !b], Origin::Definition);
                }
            }
        }
        Some(Table { bounds, literals, values: vec![0; entries], range, is_fixed: false })
    }

    fn of_predicate(sat: &mut Sat<NoTheory, NoProof>, bounds: Vec<usize>) -> Option<Table> {
        let entries = entries(&bounds, 1)?;
        let literals = (0..entries).map(|_| sat.new_var().positive()).collect();
        Some(Table { bounds, literals, values: vec![0; entries], range: 2, is_fixed: false })
    }

    fn literal(&self, entry: usize, value: usize) -> Lit {
        self.literals[entry * self.range + value]
    }
}

/// The number of entries of a table, if it is not too large.
fn entries(bounds: &[usize], range: usize) -> Option<usize> {
    let entries = bounds.iter().try_fold(1usize, |product, &bound| product.checked_mul(bound))?;
    (entries.checked_mul(range)? <= MOST_ENTRIES).then_some(entries)
}

/// Whether the values of a sort are constants.
pub(super) fn is_enumeration(store: &Store, sort: Sort) -> bool {
    let has_none = |constructor: &shem_term::Constructor| constructor.selectors.is_empty();
    store.datatype_of(sort).is_none_or(|datatype| datatype.constructors().iter().all(has_none))
}

/// In which order the variables of a clause get values, and what can be evaluated then.
struct Plan {
    steps: Vec<PlanStep>,
}

#[derive(Default)]
struct PlanStep {
    /// The variable with its sort; none at the first step.
    variable: Option<(usize, usize)>,
    nodes: Vec<usize>,
    /// Atoms of the body.
    atoms: Vec<usize>,
    different: Vec<(usize, usize)>,
}

impl Plan {
    /// The variables of the atom that lacks the fewest come next.
    fn of(clause: &Clause) -> Plan {
        let mut is_known = vec![false; clause.nodes.len()];
        let mut open: Vec<usize> = (0..clause.body.len()).collect();
        let mut different = clause.different.clone();
        let mut steps = Vec::new();
        let mut variable = None;
        loop {
            let mut step = PlanStep { variable, ..PlanStep::default() };
            for (at, node) in clause.nodes.iter().enumerate() {
                if let Node::Apply(_, args) = node
                    && !is_known[at]
                    && args.iter().all(|&arg| is_known[arg])
                {
                    is_known[at] = true;
                    step.nodes.push(at);
                }
            }
            open.retain(|&at| {
                let is_ready = clause.body[at].args.iter().all(|&arg| is_known[arg]);
                if is_ready {
                    step.atoms.push(at);
                }
                !is_ready
            });
            different.retain(|&(a, b)| {
                let is_ready = is_known[a] && is_known[b];
                if is_ready {
                    step.different.push((a, b));
                }
                !is_ready
            });
            steps.push(step);
            let missing = |at: usize| {
                let mut found = Vec::new();
                let mut stack = clause.body[at].args.clone();
                while let Some(node) = stack.pop() {
                    match &clause.nodes[node] {
                        _ if is_known[node] => {}
                        Node::Variable(_) if !found.contains(&node) => found.push(node),
                        Node::Variable(_) => {}
                        Node::Apply(_, args) => stack.extend(args),
                    }
                }
                found
            };
            let next = open.iter().map(|&at| missing(at)).min_by_key(Vec::len);
            let rest = || (0..clause.nodes.len()).find(|&at| !is_known[at]);
            let Some(node) = next.map_or_else(rest, |missing| missing.last().copied()) else {
                return Plan { steps };
            };
            let Node::Variable(sort) = clause.nodes[node] else {
                unreachable!("what is not known needs a variable")
            };
            is_known[node] = true;
            variable = Some((node, sort));
        }
    }
}
