//! The record of a search: every clause by where it comes from, in arenas.
//!
//! A derived clause is only the list of its antecedents: four bytes each, and no literals. Identities are
//! dense and an antecedent is older than what is derived from it, so a pass from the end finds what a clause
//! needs. When a scope is closed the record is cut back to where it stood when the scope was opened; the few
//! clauses that outlive the scope are moved down together with all that they were derived from.

use crate::sink::{ClauseId, Lemma, LemmaKind, Origin, ProofSink};
use shem_base::{Lit, Rat};
use std::ops::Range;

/// How a recorded clause came about.
#[derive(Clone, Copy, Debug)]
pub enum Record<'a> {
    /// It is an input clause.
    Input {
        /// Its literals.
        lits: &'a [Lit],
        /// Where it comes from.
        origin: Origin,
    },
    /// It is a lemma of the theory.
    Lemma {
        /// Its literals.
        lits: &'a [Lit],
        /// Why it is valid.
        kind: LemmaKind,
        /// One coefficient a literal, or none, as the kind has it.
        coeffs: &'a [Rat],
        /// The nodes that it lists; none if the kind has coefficients.
        nodes: &'a [u32],
    },
    /// It is the result of a linear resolution of these clauses.
    Derived {
        /// The antecedents in the order of resolution.
        antecedents: &'a [ClauseId],
    },
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Input(Origin),
    /// The kind, and where the coefficients start, or the nodes if the kind has no coefficients.
    Lemma(LemmaKind, u32),
    Derived,
}

/// A clause: its source and where its literals or antecedents are.
#[derive(Clone, Copy, Debug)]
struct Entry {
    source: Source,
    start: u32,
    len: u32,
}

/// The lengths of the arenas at some moment.
#[derive(Clone, Copy, Debug, Default)]
struct Watermark {
    entries: usize,
    lits: usize,
    antecedents: usize,
    coeffs: usize,
    nodes: usize,
}

/// Where the number of nodes and the nodes of a lemma are.
fn node_range(nodes: &[u32], start: u32) -> Range<usize> {
    let start = start as usize;
    start..start + 1 + nodes[start] as usize
}

/// The size in words from which on a record is bloated, if nothing else is said: 64 MB.
const BLOATED: usize = 1 << 24;

/// A [`ProofSink`] that remembers.
#[derive(Debug)]
pub struct ProofLog {
    /// By identity.
    entries: Vec<Entry>,
    lits: Vec<Lit>,
    antecedents: Vec<ClauseId>,
    coeffs: Vec<Rat>,
    /// Of each lemma without coefficients, the number of its nodes and then the nodes.
    nodes: Vec<u32>,
    scopes: Vec<Watermark>,
    /// The least number of words from which on the record counts as bloated.
    least_limit: usize,
    /// The number of words from which on it does: twice what the last collection left, or the least.
    limit: usize,
    /// By identity from some watermark on: the new identity of a clause that stays. A buffer.
    forward: Vec<Option<ClauseId>>,
}

impl Default for ProofLog {
    fn default() -> Self {
        ProofLog::new()
    }
}

impl ProofLog {
    /// An empty record.
    pub fn new() -> ProofLog {
        ProofLog::with_limit(BLOATED)
    }

    /// An empty record that counts as bloated when it takes more than this number of words, of four bytes
    /// each, and more than twice of what the last collection left.
    pub fn with_limit(words: usize) -> ProofLog {
        ProofLog {
            entries: Vec::new(),
            lits: Vec::new(),
            antecedents: Vec::new(),
            coeffs: Vec::new(),
            nodes: Vec::new(),
            scopes: Vec::new(),
            least_limit: words,
            limit: words,
            forward: Vec::new(),
        }
    }

    /// The number of clauses recorded; identities are below it.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no clause is recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The size of the record in words of four bytes, roughly.
    pub fn words(&self) -> usize {
        let entry = size_of::<Entry>() / 4;
        let lists = self.lits.len() + self.antecedents.len() + self.nodes.len();
        self.entries.len() * entry + lists + 4 * self.coeffs.len()
    }

    /// How the clause came about, or `None` if there is no such clause.
    pub fn record(&self, id: ClauseId) -> Option<Record<'_>> {
        let entry = self.entries.get(id.0 as usize)?;
        let range = entry.start as usize..(entry.start + entry.len) as usize;
        Some(match entry.source {
            Source::Input(origin) => Record::Input { lits: &self.lits[range], origin },
            Source::Lemma(kind, coeffs) if kind.has_coefficients() => Record::Lemma {
                coeffs: &self.coeffs[coeffs as usize..(coeffs + entry.len) as usize],
                lits: &self.lits[range],
                kind,
                nodes: &[],
            },
            Source::Lemma(kind, nodes) => Record::Lemma {
                coeffs: &[],
                lits: &self.lits[range],
                kind,
                nodes: &self.nodes[node_range(&self.nodes, nodes)][1..],
            },
            Source::Derived => Record::Derived { antecedents: &self.antecedents[range] },
        })
    }

    fn add_entry(&mut self, source: Source, start: usize, len: usize) -> ClauseId {
        let id = u32::try_from(self.entries.len()).expect("fewer than 2^32 clauses are recorded");
        let start = u32::try_from(start).expect("fewer than 2^32 literals are recorded");
        self.entries.push(Entry { source, start, len: len as u32 });
        ClauseId(id)
    }

    fn watermark(&self) -> Watermark {
        Watermark {
            entries: self.entries.len(),
            lits: self.lits.len(),
            antecedents: self.antecedents.len(),
            coeffs: self.coeffs.len(),
            nodes: self.nodes.len(),
        }
    }

    /// Forgets the clauses from the watermark on, except for `kept` and what they need; these move down and
    /// `kept` is rewritten. Watermarks of scopes beyond it are moved along.
    fn cut(&mut self, mark: Watermark, kept: &mut [ClauseId]) {
        self.select(mark.entries, kept);
        let mut end = mark;
        let mut scopes = self.scopes.iter_mut().peekable();
        while scopes.next_if(|scope| scope.entries <= mark.entries).is_some() {}
        for index in mark.entries..self.entries.len() {
            while let Some(scope) = scopes.next_if(|scope| scope.entries <= index) {
                *scope = end;
            }
            if self.forward[index - mark.entries].is_none() {
                continue;
            }
            self.forward[index - mark.entries] = Some(ClauseId(end.entries as u32));
            let mut entry = self.entries[index];
            let range = entry.start as usize..(entry.start + entry.len) as usize;
            match &mut entry.source {
                Source::Derived => {
                    entry.start = end.antecedents as u32;
                    for from in range {
                        let mut antecedent = self.antecedents[from];
                        if let Some(offset) = (antecedent.0 as usize).checked_sub(mark.entries) {
                            antecedent = self.forward[offset].expect("antecedents are selected");
                        }
                        self.antecedents[end.antecedents] = antecedent;
                        end.antecedents += 1;
                    }
                }
                source => {
                    match source {
                        Source::Lemma(kind, coeffs) if kind.has_coefficients() => {
                            for from in *coeffs as usize..*coeffs as usize + range.len() {
                                self.coeffs.swap(end.coeffs + from - *coeffs as usize, from);
                            }
                            *coeffs = end.coeffs as u32;
                            end.coeffs += range.len();
                        }
                        Source::Lemma(_, nodes) => {
                            let moved = node_range(&self.nodes, *nodes);
                            *nodes = end.nodes as u32;
                            self.nodes.copy_within(moved.clone(), end.nodes);
                            end.nodes += moved.len();
                        }
                        Source::Input(_) | Source::Derived => {}
                    }
                    entry.start = end.lits as u32;
                    self.lits.copy_within(range.clone(), end.lits);
                    end.lits += range.len();
                }
            }
            self.entries[end.entries] = entry;
            end.entries += 1;
        }
        for scope in scopes {
            *scope = end;
        }
        for id in kept {
            if let Some(offset) = (id.0 as usize).checked_sub(mark.entries) {
                *id = self.forward[offset].expect("kept clauses are selected");
            }
        }
        self.truncate(end);
    }

    /// Fills `forward` with something for all clauses from `first` on that `kept` needs.
    fn select(&mut self, first: usize, kept: &[ClauseId]) {
        self.forward.clear();
        self.forward.resize(self.entries.len() - first, None);
        for &id in kept {
            if let Some(offset) = (id.0 as usize).checked_sub(first) {
                self.forward[offset] = Some(id);
            }
        }
        for offset in (0..self.forward.len()).rev() {
            let entry = self.entries[first + offset];
            if self.forward[offset].is_none() || !matches!(entry.source, Source::Derived) {
                continue;
            }
            for &antecedent in &self.antecedents[entry.start as usize..(entry.start + entry.len) as usize] {
                if let Some(offset) = (antecedent.0 as usize).checked_sub(first) {
                    self.forward[offset] = Some(antecedent);
                }
            }
        }
    }

    fn truncate(&mut self, mark: Watermark) {
        self.entries.truncate(mark.entries);
        self.lits.truncate(mark.lits);
        self.antecedents.truncate(mark.antecedents);
        self.coeffs.truncate(mark.coeffs);
        self.nodes.truncate(mark.nodes);
    }
}

impl ProofSink for ProofLog {
    fn input(&mut self, lits: &[Lit], origin: Origin) -> ClauseId {
        let start = self.lits.len();
        self.lits.extend_from_slice(lits);
        self.add_entry(Source::Input(origin), start, lits.len())
    }

    fn lemma(&mut self, lemma: &Lemma) -> ClauseId {
        let certificate = if lemma.kind.has_coefficients() {
            debug_assert_eq!(lemma.lits.len(), lemma.coeffs.len());
            let start = self.coeffs.len();
            self.coeffs.extend_from_slice(&lemma.coeffs);
            start
        } else {
            let start = self.nodes.len();
            self.nodes.push(lemma.nodes.len() as u32);
            self.nodes.extend_from_slice(&lemma.nodes);
            start
        };
        let certificate = u32::try_from(certificate).expect("fewer than 2^32 coefficients are recorded");
        let start = self.lits.len();
        self.lits.extend_from_slice(&lemma.lits);
        self.add_entry(Source::Lemma(lemma.kind, certificate), start, lemma.lits.len())
    }

    fn derive(&mut self, antecedents: &[ClauseId]) -> ClauseId {
        debug_assert!(antecedents.iter().all(|id| (id.0 as usize) < self.entries.len()));
        let start = self.antecedents.len();
        self.antecedents.extend_from_slice(antecedents);
        self.add_entry(Source::Derived, start, antecedents.len())
    }

    fn push(&mut self) {
        self.scopes.push(self.watermark());
    }

    fn pop(&mut self, kept: &mut [ClauseId]) {
        let mark = self.scopes.pop().expect("a scope is open");
        if kept.iter().all(|id| (id.0 as usize) < mark.entries) {
            self.truncate(mark);
        } else {
            self.cut(mark, kept);
        }
    }

    fn is_bloated(&self) -> bool {
        self.words() > self.limit
    }

    fn collect(&mut self, kept: &mut [ClauseId]) {
        self.cut(Watermark::default(), kept);
        self.limit = self.least_limit.max(2 * self.words());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_base::Var;

    fn lit(index: u32) -> Lit {
        Var::new(index).positive()
    }

    fn input(log: &mut ProofLog, index: u32) -> ClauseId {
        log.input(&[lit(index)], Origin::Assertion(index))
    }

    fn lemma(log: &mut ProofLog, index: u32) -> ClauseId {
        let mut lemma = Lemma::default();
        lemma.add(lit(index), Rat::from(index as i64));
        log.lemma(&lemma)
    }

    fn equality(log: &mut ProofLog, index: u32, nodes: &[u32]) -> ClauseId {
        let mut lemma = Lemma::default();
        lemma.start(LemmaKind::Equality);
        lemma.add_lit(lit(index));
        lemma.add_lit(!lit(index + 1));
        lemma.nodes.extend_from_slice(nodes);
        log.lemma(&lemma)
    }

    /// The tree of a clause as text.
    fn show(log: &ProofLog, id: ClauseId) -> String {
        match log.record(id).unwrap() {
            Record::Input { lits, origin } => format!("{lits:?}/{origin:?}"),
            Record::Lemma { lits, coeffs, nodes, .. } => format!("{lits:?}*{coeffs:?}{nodes:?}"),
            Record::Derived { antecedents } => {
                let parts: Vec<String> = antecedents.iter().map(|&id| show(log, id)).collect();
                format!("({})", parts.join(" "))
            }
        }
    }

    #[test]
    fn pop_keeps_what_is_needed() {
        let mut log = ProofLog::new();
        let base = input(&mut log, 0);
        log.push();
        input(&mut log, 1);
        lemma(&mut log, 2);
        let needed = lemma(&mut log, 3);
        log.push();
        input(&mut log, 4);
        let derived = log.derive(&[base, needed]);
        lemma(&mut log, 5);
        let second = log.derive(&[derived, base]);
        let before = show(&log, second);
        let mut kept = [second, base];
        log.pop(&mut kept);
        assert_eq!(show(&log, kept[0]), before);
        assert_eq!(log.len(), 6);
        log.pop(&mut kept);
        assert_eq!(show(&log, kept[0]), before);
        assert_eq!(kept[1], base);
        assert_eq!(log.len(), 4);
        assert_eq!(log.lits.len(), 2);
        assert_eq!(log.coeffs.len(), 1);
        assert_eq!(log.antecedents.len(), 4);
    }

    #[test]
    fn pop_truncates() {
        let mut log = ProofLog::new();
        let base = input(&mut log, 0);
        log.push();
        let other = lemma(&mut log, 1);
        log.derive(&[base, other]);
        log.pop(&mut [base]);
        assert_eq!(log.len(), 1);
        assert_eq!(log.words(), size_of::<Entry>() / 4 + 1);
    }

    #[test]
    fn collection_moves_watermarks() {
        let mut log = ProofLog::new();
        input(&mut log, 0);
        let first = lemma(&mut log, 1);
        log.push();
        input(&mut log, 2);
        let second = log.derive(&[first, first]);
        log.push();
        let third = log.derive(&[second]);
        let before = show(&log, third);
        let mut kept = [third];
        log.collect(&mut kept);
        assert_eq!(log.len(), 3);
        assert_eq!(show(&log, kept[0]), before);
        log.pop(&mut []);
        assert_eq!(log.len(), 2);
        log.pop(&mut []);
        assert_eq!(log.len(), 1);
    }

    #[test]
    fn nodes_move_with_their_lemmas() {
        let mut log = ProofLog::new();
        let first = equality(&mut log, 0, &[7, 8]);
        log.push();
        equality(&mut log, 2, &[1, 2, 3]);
        let second = equality(&mut log, 4, &[]);
        let third = lemma(&mut log, 6);
        let fourth = equality(&mut log, 7, &[4, 5]);
        let root = log.derive(&[first, second, third, fourth]);
        let before = show(&log, root);
        let mut kept = [root];
        log.pop(&mut kept);
        assert_eq!(show(&log, kept[0]), before);
        assert_eq!(log.nodes, [2, 7, 8, 0, 2, 4, 5]);
        log.push();
        equality(&mut log, 2, &[1, 2, 3]);
        log.pop(&mut []);
        assert_eq!(log.nodes.len(), 7);
        let mut kept = [ClauseId(3)];
        log.collect(&mut kept);
        assert_eq!(log.nodes, [2, 4, 5]);
        assert!(before.contains(&show(&log, kept[0])));
        log.collect(&mut []);
        assert_eq!(log.words(), 0);
    }

    #[test]
    fn an_entry_is_five_words() {
        assert_eq!(size_of::<Entry>(), 20);
    }
}
