//! Certificates as text: how a certificate travels to another process.
//!
//! Both processes have the graph. Vertices and edges are named by their places in the order of their ids, as in the text
//! of a graph; formulas are over the variables `x0`, `x1`, … of a state and `y0`, `y1`, … of the state after it, and what
//! variables these are follows from the place of the formula. A line is a word with numbers, or a formula:
//!
//! ```text
//! loop
//! encoding 2
//! positions 2
//! positions 2 3
//! auxiliaries
//! argument 0 0
//! true
//! k-inductive 3
//! (<= x2 5)
//! ```
//!
//! Reading is strict: whatever is not exactly of this form is an error. Formulas are looked through under limits before
//! anything is built of them, and nothing is reserved for a number that was read. What was read is as little believed as
//! any other certificate.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use shem_base::Budget;
use shem_chc::{EdgeId, Graph, Interpretation, VertexId};
use shem_term::pack::{Formula, FormulaLimits, Naming};
use shem_term::{Sort, Store, Term};

mod functions;

use super::{
    Argument, Certificate, Composition, Direction, EdgeTargets, Encoding, Exclusion, FiniteDiameter, Ground,
    Images, KInductive, LoopCertificate, NodeStatus, Powers, SafeSet, SafeSets, SequenceKind, StepOrder,
    TransitionCertificate, TransitionInvariant, Unwinding, UnwindingNode,
};

/// What a formula of a certificate may be at most.
const LIMITS: FormulaLimits = FormulaLimits::DEFINITION;

/// The line in the place of a formula that is missing.
const NONE: &str = "-";

/// Values are written as their places in these lists.
const DIRECTIONS: [Direction; 2] = [Direction::Forward, Direction::Backward];
const ORDERS: [StepOrder; 2] = [StepOrder::LessFirst, StepOrder::EqualFirst];
const KINDS: [SequenceKind; 3] = [SequenceKind::AtMost, SequenceKind::Less, SequenceKind::Equal];
const GROUNDS: [Ground; 2] = [Ground::Left, Ground::Right];
const FLAGS: [bool; 2] = [false, true];
const SORTS: [Sort; 3] = [Sort::Bool, Sort::Int, Sort::Real];

/// Why a text is no certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of a certificate: {}", self.line, self.what)
    }
}

impl std::error::Error for PackError {}

impl Certificate {
    /// The certificate, which is about this graph, as text; `None` if it has a formula that cannot be sent.
    pub fn pack(&self, store: &mut Store, graph: &Graph) -> Option<String> {
        let mut writer = Writer { store, graph, text: String::new() };
        match self {
            Certificate::Model(interpretation) => writer.model(interpretation)?,
            Certificate::Functions(model) => writer.functions(model)?,
            Certificate::Unwinding(unwinding) => writer.unwinding(unwinding)?,
            Certificate::SafeSets(SafeSets { sets }) => {
                writer.line("safe-sets", [sets.len()]);
                for set in sets {
                    let vertex = graph.vertices().position(|vertex| vertex == set.vertex)?;
                    writer.line("set", [vertex, usize::from(set.without_stuttering)]);
                    let naming = writer.vertex(set.vertex);
                    writer.formulas(&naming, &[set.entry])?;
                    writer.powers(&naming, &set.powers)?;
                }
            }
            Certificate::Loop(own) => {
                writer.line("loop", []);
                writer.transition(own.encoding.as_ref(), &own.certificate)?;
            }
        }
        Some(writer.text)
    }

    /// Reads a certificate about this graph. A stop is noticed between formulas.
    pub fn unpack(
        store: &mut Store,
        graph: &Graph,
        text: &str,
        budget: &Budget,
    ) -> Result<Certificate, PackError> {
        let vertices: Vec<VertexId> = graph.vertices().collect();
        let edges: Vec<EdgeId> = graph.edges().map(|(id, _)| id).collect();
        let mut reader = Reader { store, graph, vertices, edges, lines: text.lines(), line: 0, budget };
        let certificate = match reader.next_line()? {
            "model" => Certificate::Model(reader.model()?),
            "loop" => Certificate::Loop(Box::new(reader.transition()?)),
            other => {
                let mut words = other.split(' ');
                match words.next() {
                    Some("functions") => Certificate::Functions(Box::new(reader.functions(words)?)),
                    Some("unwinding") => Certificate::Unwinding(reader.unwinding(words)?),
                    Some("safe-sets") => Certificate::SafeSets(reader.safe_sets(words)?),
                    _ => return Err(reader.error("no kind of certificate")),
                }
            }
        };
        match reader.lines.next() {
            None => Ok(certificate),
            Some(_) => Err(reader.error("there is more")),
        }
    }
}

struct Writer<'a> {
    store: &'a mut Store,
    graph: &'a Graph,
    text: String,
}

/// The place of a value in a list that has all of them.
fn place<T: PartialEq>(list: &[T], value: &T) -> usize {
    list.iter().position(|other| other == value).expect("the list has all values")
}

impl Writer<'_> {
    /// A word and numbers.
    fn line(&mut self, word: &str, numbers: impl IntoIterator<Item = usize>) {
        self.text.push_str(word);
        for number in numbers {
            let _ = write!(self.text, " {number}");
        }
        self.text.push('\n');
    }

    fn formulas(&mut self, naming: &Naming, formulas: &[Term]) -> Option<()> {
        for &formula in formulas {
            let formula = naming.export(self.store, formula, LIMITS)?;
            let text = formula.text();
            if text.contains(['\n', '\r']) {
                return None;
            }
            self.text.push_str(text);
            self.text.push('\n');
        }
        Some(())
    }

    /// Names for the variables of a vertex.
    fn vertex(&mut self, vertex: VertexId) -> Naming {
        let vertex = self.graph.vertex(vertex);
        Naming::new(self.store, vertex.state(), vertex.target())
    }

    fn model(&mut self, interpretation: &Interpretation) -> Option<()> {
        self.line("model", []);
        for vertex in self.graph.vertices() {
            match interpretation.get(vertex) {
                None => self.line(NONE, []),
                Some(formula) => {
                    let naming = self.vertex(vertex);
                    self.formulas(&naming, &[formula])?;
                }
            }
        }
        Some(())
    }

    /// Pairs of places of edges and numbers of nodes. Edges that the graph has not lead nowhere.
    fn targets(&mut self, word: &str, targets: &EdgeTargets) {
        let edges = self.graph.edges().enumerate();
        let found = edges.filter_map(|(at, (id, _))| Some([at, *targets.get(&id)?]));
        let numbers: Vec<usize> = found.flatten().collect();
        self.line(word, numbers);
    }

    fn unwinding(&mut self, unwinding: &Unwinding) -> Option<()> {
        self.line("unwinding", [unwinding.nodes.len()]);
        self.targets("facts", &unwinding.facts);
        let vertices: Vec<VertexId> = self.graph.vertices().collect();
        let namings: Vec<Naming> = vertices.iter().map(|&vertex| self.vertex(vertex)).collect();
        for node in &unwinding.nodes {
            let vertex = vertices.binary_search(&node.vertex).ok()?;
            self.line("node", [vertex]);
            self.formulas(&namings[vertex], &[node.label])?;
            match &node.status {
                NodeStatus::Covered(by) => self.line("covered", by.iter().copied()),
                NodeStatus::Expanded(targets) => self.targets("expanded", targets),
            }
        }
        Some(())
    }

    fn powers(&mut self, naming: &Naming, powers: &Powers) -> Option<()> {
        let Composition { base, order } = powers.composition;
        let TransitionInvariant { kind, level, stride, ground } = powers.transition_invariant;
        let (order, kind, ground) = (place(&ORDERS, &order), place(&KINDS, &kind), place(&GROUNDS, &ground));
        self.line("powers", [base, order, kind, level, stride, ground]);
        for sequence in [&powers.at_most, &powers.less, &powers.equal] {
            self.line("elements", sequence.iter().map(Vec::len));
            sequence.iter().try_for_each(|element| self.formulas(naming, element))?;
        }
        Some(())
    }

    fn transition(&mut self, encoding: Option<&Encoding>, certificate: &TransitionCertificate) -> Option<()> {
        let TransitionCertificate { without_stuttering, invariant, direction, argument } = certificate;
        let (state, next) = match encoding {
            None => {
                self.line("plain", []);
                let vertex = self.graph.vertex(self.graph.vertices().next()?);
                (vertex.state(), vertex.target())
            }
            Some(encoding) => {
                self.line("encoding", [encoding.positions.len()]);
                for (_, positions) in &encoding.positions {
                    self.line("positions", positions.iter().copied());
                }
                (&encoding.state[..], &encoding.next[..])
            }
        };
        // Rules may have variables beside those of states.
        let mut later = next.to_vec();
        if let Argument::FiniteDiameter(diameter) = argument {
            let mut auxiliaries = self.store.free_variables(&diameter.learnt);
            auxiliaries.retain(|v| !state.contains(v) && !next.contains(v));
            later.extend(auxiliaries);
        }
        let sorts: Vec<Sort> = later[next.len()..].iter().map(|&v| self.store.sort(v)).collect();
        let sorts: Option<Vec<usize>> =
            sorts.iter().map(|sort| SORTS.iter().position(|s| s == sort)).collect();
        self.line("auxiliaries", sorts?);
        let naming = &Naming::new(self.store, state, &later);
        self.line("argument", [usize::from(*without_stuttering), place(&DIRECTIONS, direction)]);
        self.formulas(naming, &[*invariant])?;
        match argument {
            Argument::KInductive(KInductive { formula, k }) => {
                self.line("k-inductive", [*k]);
                self.formulas(naming, &[*formula])
            }
            Argument::Images(Images { chain, k }) => {
                self.line("images", [*k, chain.len()]);
                self.formulas(naming, chain)
            }
            Argument::Powers(powers) => self.powers(naming, powers),
            Argument::FiniteDiameter(FiniteDiameter { learnt, known, exclusions }) => {
                self.line("diameter", [learnt.len(), known.len()]);
                self.formulas(naming, learnt)?;
                for (known, exclusions) in known.iter().zip(exclusions) {
                    self.line("step", [*known, exclusions.len()]);
                    for exclusion in exclusions {
                        match *exclusion {
                            Exclusion::Older { rule, formula } => {
                                self.line("older", [rule]);
                                self.formulas(naming, &[formula])?;
                            }
                            Exclusion::Longer { first, rule, formula } => {
                                self.line("longer", [first, rule]);
                                self.formulas(naming, &[formula])?;
                            }
                        }
                    }
                }
                Some(())
            }
        }
    }
}

struct Reader<'a, 't> {
    store: &'a mut Store,
    graph: &'a Graph,
    vertices: Vec<VertexId>,
    edges: Vec<EdgeId>,
    lines: std::str::Lines<'t>,
    /// The number of the last line.
    line: usize,
    budget: &'a Budget,
}

impl<'t> Reader<'_, 't> {
    fn error(&self, what: &'static str) -> PackError {
        PackError { line: self.line, what }
    }

    fn next_line(&mut self) -> Result<&'t str, PackError> {
        self.line += 1;
        self.lines.next().ok_or(self.error("the text ends"))
    }

    fn numbers<'w>(&self, words: impl Iterator<Item = &'w str>) -> Result<Vec<usize>, PackError> {
        let number = |word: &str| word.parse().ok().filter(|_| word.bytes().all(|b| b.is_ascii_digit()));
        words.map(number).collect::<Option<Vec<usize>>>().ok_or(self.error("no number"))
    }

    /// The numbers of a line that begins with this word.
    fn numbers_of(&mut self, word: &'static str) -> Result<Vec<usize>, PackError> {
        let mut words = self.next_line()?.split(' ');
        if words.next() != Some(word) {
            return Err(self.error("another line is expected"));
        }
        self.numbers(words)
    }

    /// So many numbers of a line that begins with this word.
    fn exactly<const N: usize>(&mut self, word: &'static str) -> Result<[usize; N], PackError> {
        let numbers = self.numbers_of(word)?;
        numbers.try_into().map_err(|_| self.error("not so many numbers are expected"))
    }

    fn at<T: Copy>(&self, list: &[T], place: usize) -> Result<T, PackError> {
        list.get(place).copied().ok_or(self.error("a number is out of range"))
    }

    fn formula(&mut self, naming: &mut Naming) -> Result<Term, PackError> {
        let line = self.next_line()?;
        self.read_formula(naming, line)
    }

    fn read_formula(&mut self, naming: &mut Naming, line: &str) -> Result<Term, PackError> {
        self.budget.check_stop().map_err(|_| self.error("there is no time to read on"))?;
        let formula = Formula::new(line, LIMITS).map_err(|_| self.error("no formula within the limits"))?;
        naming.import(self.store, &formula).ok_or(self.error("a formula over other variables"))
    }

    fn formulas(&mut self, naming: &mut Naming, count: usize) -> Result<Vec<Term>, PackError> {
        (0..count).map(|_| self.formula(naming)).collect()
    }

    fn vertex(&mut self, vertex: VertexId) -> Naming {
        let vertex = self.graph.vertex(vertex);
        Naming::new(self.store, vertex.state(), vertex.target())
    }

    fn model(&mut self) -> Result<Interpretation, PackError> {
        let mut interpretation = Interpretation::new();
        for vertex in self.vertices.clone() {
            let line = self.next_line()?;
            if line != NONE {
                let mut naming = self.vertex(vertex);
                interpretation.insert(vertex, self.read_formula(&mut naming, line)?);
            }
        }
        Ok(interpretation)
    }

    fn targets(&self, numbers: &[usize]) -> Result<EdgeTargets, PackError> {
        let (pairs, []) = numbers.as_chunks::<2>() else { return Err(self.error("an edge has no target")) };
        let mut targets = EdgeTargets::new();
        for &[edge, node] in pairs {
            if targets.insert(self.at(&self.edges, edge)?, node).is_some() {
                return Err(self.error("an edge comes twice"));
            }
        }
        Ok(targets)
    }

    fn unwinding<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> Result<Unwinding, PackError> {
        let &[count] = &self.numbers(words)?[..] else { return Err(self.error("no number of nodes")) };
        let facts = self.numbers_of("facts")?;
        let facts = self.targets(&facts)?;
        let mut namings: BTreeMap<VertexId, Naming> = BTreeMap::new();
        let mut nodes = Vec::new();
        for _ in 0..count {
            let [vertex] = self.exactly("node")?;
            let vertex = self.at(&self.vertices, vertex)?;
            let naming = namings.entry(vertex).or_insert_with(|| self.vertex(vertex));
            let label = self.formula(naming)?;
            let mut words = self.next_line()?.split(' ');
            let word = words.next();
            let numbers = self.numbers(words)?;
            let status = match word {
                Some("covered") => NodeStatus::Covered(numbers),
                Some("expanded") => NodeStatus::Expanded(self.targets(&numbers)?),
                _ => return Err(self.error("no status of a node")),
            };
            nodes.push(UnwindingNode { vertex, label, status });
        }
        Ok(Unwinding { facts, nodes })
    }

    fn safe_sets<'w>(&mut self, words: impl Iterator<Item = &'w str>) -> Result<SafeSets, PackError> {
        let &[count] = &self.numbers(words)?[..] else { return Err(self.error("no number of sets")) };
        let mut sets = Vec::new();
        for _ in 0..count {
            let [vertex, without_stuttering] = self.exactly("set")?;
            let vertex = self.at(&self.vertices, vertex)?;
            let without_stuttering = self.at(&FLAGS, without_stuttering)?;
            let naming = &mut self.vertex(vertex);
            let entry = self.formula(naming)?;
            let powers = self.exactly("powers")?;
            let powers = self.powers(naming, powers)?;
            sets.push(SafeSet { vertex, entry, without_stuttering, powers });
        }
        Ok(SafeSets { sets })
    }

    fn powers(&mut self, naming: &mut Naming, numbers: [usize; 6]) -> Result<Powers, PackError> {
        let [base, order, kind, level, stride, ground] = numbers;
        let composition = Composition { base, order: self.at(&ORDERS, order)? };
        let (kind, ground) = (self.at(&KINDS, kind)?, self.at(&GROUNDS, ground)?);
        let transition_invariant = TransitionInvariant { kind, level, stride, ground };
        let mut sequences: [Vec<Vec<Term>>; 3] = Default::default();
        for sequence in &mut sequences {
            for count in self.numbers_of("elements")? {
                sequence.push(self.formulas(naming, count)?);
            }
        }
        let [at_most, less, equal] = sequences;
        Ok(Powers { composition, at_most, less, equal, transition_invariant })
    }

    /// The encoding of a number of vertices, with new variables for the states.
    fn encoding(&mut self, count: usize) -> Result<Encoding, PackError> {
        if count != self.vertices.len() {
            return Err(self.error("another number of vertices"));
        }
        let mut positions = Vec::new();
        let mut sorts: BTreeMap<usize, Sort> = (0..count).map(|at| (at, Sort::Bool)).collect();
        for vertex in self.vertices.clone() {
            let own = self.numbers_of("positions")?;
            let expected = self.graph.vertex(vertex).sorts();
            if own.len() != expected.len() {
                return Err(self.error("another number of arguments"));
            }
            for (&position, &sort) in own.iter().zip(expected) {
                if *sorts.entry(position).or_insert(sort) != sort {
                    return Err(self.error("a position has two sorts"));
                }
            }
            positions.push((vertex, own));
        }
        if !sorts.keys().copied().eq(0..sorts.len()) {
            return Err(self.error("a position is empty"));
        }
        let mut variables = |suffix: &str| -> Vec<Term> {
            let name = |at: usize| format!("loop#{at}{suffix}");
            sorts.iter().map(|(&at, &sort)| self.store.variable(&name(at), sort)).collect()
        };
        Ok(Encoding { state: variables(""), next: variables("'"), positions })
    }

    fn transition(&mut self) -> Result<LoopCertificate, PackError> {
        let mut words = self.next_line()?.split(' ');
        let word = words.next();
        let numbers = self.numbers(words)?;
        let encoding = match (word, &numbers[..]) {
            (Some("plain"), []) => None,
            (Some("encoding"), &[count]) => Some(self.encoding(count)?),
            _ => return Err(self.error("no encoding")),
        };
        let (state, mut later) = match (&encoding, self.vertices.first()) {
            (Some(encoding), _) => (encoding.state.clone(), encoding.next.clone()),
            (None, Some(&vertex)) => {
                let vertex = self.graph.vertex(vertex);
                (vertex.state().to_vec(), vertex.target().to_vec())
            }
            (None, None) => return Err(self.error("the graph has no states")),
        };
        for sort in self.numbers_of("auxiliaries")? {
            let sort = self.at(&SORTS, sort)?;
            later.push(self.store.variable("auxiliary", sort));
        }
        let naming = &mut Naming::new(self.store, &state, &later);
        let [without_stuttering, direction] = self.exactly("argument")?;
        let without_stuttering = self.at(&FLAGS, without_stuttering)?;
        let direction = self.at(&DIRECTIONS, direction)?;
        let invariant = self.formula(naming)?;
        let argument = self.argument(naming)?;
        let certificate = TransitionCertificate { without_stuttering, invariant, direction, argument };
        Ok(LoopCertificate { encoding, certificate })
    }

    fn argument(&mut self, naming: &mut Naming) -> Result<Argument, PackError> {
        let mut words = self.next_line()?.split(' ');
        let word = words.next();
        let numbers = self.numbers(words)?;
        Ok(match (word, &numbers[..]) {
            (Some("k-inductive"), &[k]) => {
                Argument::KInductive(KInductive { formula: self.formula(naming)?, k })
            }
            (Some("images"), &[k, count]) => {
                Argument::Images(Images { chain: self.formulas(naming, count)?, k })
            }
            (Some("powers"), &[base, order, kind, level, stride, ground]) => {
                Argument::Powers(self.powers(naming, [base, order, kind, level, stride, ground])?)
            }
            (Some("diameter"), &[rules, steps]) => {
                let learnt = self.formulas(naming, rules)?;
                let (mut known, mut exclusions) = (Vec::new(), Vec::new());
                for _ in 0..steps {
                    let [rules, count] = self.exactly("step")?;
                    known.push(rules);
                    let mut own = Vec::new();
                    for _ in 0..count {
                        own.push(self.exclusion(naming)?);
                    }
                    exclusions.push(own);
                }
                Argument::FiniteDiameter(FiniteDiameter { learnt, known, exclusions })
            }
            _ => return Err(self.error("no kind of argument")),
        })
    }

    fn exclusion(&mut self, naming: &mut Naming) -> Result<Exclusion, PackError> {
        let mut words = self.next_line()?.split(' ');
        let word = words.next();
        let numbers = self.numbers(words)?;
        match (word, &numbers[..]) {
            (Some("older"), &[rule]) => Ok(Exclusion::Older { rule, formula: self.formula(naming)? }),
            (Some("longer"), &[first, rule]) => {
                Ok(Exclusion::Longer { first, rule, formula: self.formula(naming)? })
            }
            _ => Err(self.error("no exclusion")),
        }
    }
}
