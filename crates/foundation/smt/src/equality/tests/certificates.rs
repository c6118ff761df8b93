//! Explanations as lemmas, judged by the checker of proofs.

use shem_base::{Lit, Var};
use shem_proof::{AtomMeaning, Lemma, LemmaKind, LinearAtom, Proof, ProofLog, ProofSink, check};

use super::values::datatype_of;
use crate::equality::{Closure, Explanation, Node, NodeShape};

/// The nodes of a closure, and equations by variable.
struct Meaning<'a> {
    closure: &'a Closure,
    equations: Vec<(Node, Node)>,
}

impl AtomMeaning for Meaning<'_> {
    fn atom(&self, _: Var) -> Option<LinearAtom> {
        None
    }

    fn is_integer(&self, _: u32) -> bool {
        false
    }

    fn equation(&self, var: Var) -> Option<(u32, u32)> {
        let &(a, b) = self.equations.get(var.index())?;
        Some((a.index() as u32, b.index() as u32))
    }

    fn node(&self, node: u32) -> Option<shem_proof::NodeShape> {
        let shape = match self.closure.shape(Node::new(node)) {
            NodeShape::Truth => shem_proof::NodeShape::Truth,
            NodeShape::Falsity => shem_proof::NodeShape::Falsity,
            NodeShape::Leaf => shem_proof::NodeShape::Leaf,
            NodeShape::Number(value) => shem_proof::NodeShape::Numeral(value.clone()),
            NodeShape::Equation(a, b) => shem_proof::NodeShape::Equation(a.index() as u32, b.index() as u32),
            NodeShape::Application(function, args) => shem_proof::NodeShape::Application {
                function: function.index() as u32,
                kind: self.closure.kind(function).in_proofs(|| 1),
                args: args.iter().map(|arg| arg.index() as u32).collect(),
            },
        };
        Some(shape)
    }

    fn datatype(&self, node: u32) -> Option<(u32, u32)> {
        datatype_of(self.closure.sort(Node::new(node)))
    }
}

/// Checks that the explained claims, which the variables of the literals number, contradict each other, or imply an
/// equality.
pub(crate) fn check_explanation(
    closure: &Closure,
    claims: &[(Node, Node, bool)],
    explanation: &Explanation,
    implied: Option<(Node, Node)>,
) {
    let negation = |lit: &Lit| lit.var().lit(!claims[lit.var().index()].2);
    let mut lemma = Lemma::default();
    lemma.start(LemmaKind::Equality);
    explanation.lits.iter().for_each(|lit| lemma.add_lit(negation(lit)));
    let mut equations: Vec<(Node, Node)> = claims.iter().map(|&(a, b, _)| (a, b)).collect();
    if let Some(pair) = implied {
        lemma.add_lit(Var::new(equations.len() as u32).positive());
        equations.push(pair);
    }
    lemma.nodes.extend(explanation.nodes.iter().map(|node| node.index() as u32));
    let mut log = ProofLog::new();
    let id = log.lemma(&lemma);
    let proof = Proof::extract(&log, id).expect("a lemma is a proof");
    let judgement = check(&proof, &Meaning { closure, equations });
    assert!(judgement.is_ok(), "{judgement:?}: {explanation:?} {implied:?}");
}
