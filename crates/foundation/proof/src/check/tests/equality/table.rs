//! Nodes and equations as tables.

use crate::check::{AtomMeaning, CheckError, FunctionKind, LinearAtom, LinearForm, NodeShape, check};
use crate::log::ProofLog;
use crate::proof::Proof;
use crate::sink::{Lemma, LemmaKind, ProofSink};
use shem_base::{Lit, Rat, Var};

/// What the atoms of a test mean.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    nodes: Vec<(NodeShape, Option<u32>)>,
    equations: Vec<(u32, u32)>,
    /// By datatype: the number of its constructors.
    datatypes: Vec<u32>,
}

pub(crate) const TRUTH: u32 = 0;
pub(crate) const FALSITY: u32 = 1;

impl Table {
    /// True and false, and datatypes with so many constructors.
    pub(crate) fn new(datatypes: &[u32]) -> Table {
        let nodes = vec![(NodeShape::Truth, None), (NodeShape::Falsity, None)];
        Table { nodes, equations: Vec::new(), datatypes: datatypes.to_vec() }
    }

    /// The node of this shape, and of this datatype as its sort; the same each time, unless it is a leaf.
    pub(crate) fn make(&mut self, shape: NodeShape, datatype: Option<u32>) -> u32 {
        let old = self.nodes.iter().position(|(old, _)| *old == shape && shape != NodeShape::Leaf);
        let index = old.unwrap_or_else(|| {
            self.nodes.push((shape, datatype));
            self.nodes.len() - 1
        });
        index as u32
    }

    pub(crate) fn leaf(&mut self) -> u32 {
        self.make(NodeShape::Leaf, None)
    }

    pub(crate) fn leaf_of(&mut self, datatype: u32) -> u32 {
        self.make(NodeShape::Leaf, Some(datatype))
    }

    pub(crate) fn numeral(&mut self, value: i64) -> u32 {
        self.make(NodeShape::Numeral(Rat::from(value)), None)
    }

    pub(crate) fn apply(&mut self, function: u32, kind: FunctionKind, args: &[u32]) -> u32 {
        self.apply_to(function, kind, args, None)
    }

    /// An application whose sort is a datatype.
    pub(crate) fn apply_to(
        &mut self,
        function: u32,
        kind: FunctionKind,
        args: &[u32],
        datatype: Option<u32>,
    ) -> u32 {
        let datatype = match kind {
            FunctionKind::Constructor { datatype, .. } => Some(datatype),
            _ => datatype,
        };
        self.make(NodeShape::Application { function, kind, args: args.to_vec() }, datatype)
    }

    /// The literal of an equation.
    pub(crate) fn eq(&mut self, a: u32, b: u32) -> Lit {
        let old = self.equations.iter().position(|old| *old == (a, b));
        let index = old.unwrap_or_else(|| {
            self.equations.push((a, b));
            self.equations.len() - 1
        });
        Var::new(index as u32).positive()
    }

    /// The judgement of a lemma that lists these nodes.
    pub(crate) fn judge(&self, lits: &[Lit], nodes: &[u32]) -> Result<(), CheckError> {
        let mut lemma = Lemma::default();
        lemma.start(LemmaKind::Equality);
        lits.iter().for_each(|&lit| lemma.add_lit(lit));
        lemma.nodes.extend_from_slice(nodes);
        let mut log = ProofLog::new();
        let id = log.lemma(&lemma);
        let proof = Proof::extract(&log, id).unwrap();
        check(&proof, self).map(|_| ())
    }

    pub(crate) fn accepts(&self, lits: &[Lit], nodes: &[u32]) -> bool {
        self.judge(lits, nodes).is_ok()
    }

    /// The lemma is accepted; with a literal less or turned, or without one of the nodes that it lists, it is not.
    #[track_caller]
    pub(crate) fn check_tight(&self, lits: &[Lit], nodes: &[u32]) {
        assert_eq!(self.judge(lits, nodes), Ok(()));
        for at in 0..lits.len() {
            let mut changed = lits.to_vec();
            changed[at] = !changed[at];
            assert!(!self.accepts(&changed, nodes), "literal {at} turned");
            changed.remove(at);
            assert!(!self.accepts(&changed, nodes), "literal {at} left out");
        }
        for at in 0..nodes.len() {
            let mut fewer = nodes.to_vec();
            fewer.remove(at);
            assert!(!self.accepts(lits, &fewer), "node {at} left out");
        }
    }
}

impl AtomMeaning for Table {
    fn atom(&self, _: Var) -> Option<LinearAtom> {
        None
    }

    fn is_integer(&self, _: u32) -> bool {
        false
    }

    fn equation(&self, var: Var) -> Option<(u32, u32)> {
        self.equations.get(var.index()).copied()
    }

    fn node(&self, node: u32) -> Option<NodeShape> {
        self.nodes.get(node as usize).map(|(shape, _)| shape.clone())
    }

    fn linear_form(&self, _: u32) -> Option<LinearForm> {
        None
    }

    fn datatype(&self, node: u32) -> Option<(u32, u32)> {
        let datatype = self.nodes[node as usize].1?;
        Some((datatype, self.datatypes[datatype as usize]))
    }
}
