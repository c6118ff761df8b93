//! The description of the engine for the registry.

use super::engine::Spacer;
use super::settings::Settings;
use crate::field;
use crate::interpolation::{proof_system, prune, retry_splits, simplify, theory_rule};
use crate::registry::{EngineDescription, Fragment, LemmaKind, Make};
use crate::settings::{Configurable, SettingRow};
use crate::theories::Theories;

impl Configurable for Settings {
    const ROWS: &'static [&'static dyn SettingRow<Settings>] = &[
        &field!("spacer.lemmas", lemmas, "what lemmas are made of"),
        &field!(
            "spacer.retry",
            retry,
            "when a blocked obligation is tried one height up: never, with the next bound, at once"
        ),
        &field!("spacer.split-obligations", split_obligations, "let obligations consist of literals"),
        &field!("spacer.clauses", clauses, "weaken interpolants to clauses"),
        &field!("spacer.drop-literals", drop_literals, "drop literals of lemmas while they stay inductive"),
        &field!(
            "spacer.weaken-bounds",
            weaken_bounds,
            "move bounds of lemmas outwards while they stay inductive"
        ),
        &field!("spacer.forget-implied", forget_implied, "forget lemmas that a new one implies"),
        &field!("spacer.discharge", discharge, "answer obligations by facts first"),
        &field!("spacer.climb", climb, "carry facts on to the obligations that wait for them"),
        &field!("spacer.recall", recall, "block what a lemma is known to exclude without a query"),
        &field!(
            "spacer.remember-stuck",
            remember_stuck,
            "ask about a lemma again only when the states that kept it from being pushed are excluded"
        ),
        &field!("spacer.lift-lemmas", lift_lemmas, "raise new lemmas as far as they hold"),
        &field!(
            "spacer.equations",
            equations,
            "begin with the equations of arguments that hold of all facts, where there are arrays or datatypes"
        ),
        &field!("spacer.subsume", subsume, "global guidance: one lemma in place of a cluster"),
        &field!(
            "spacer.conjecture",
            conjecture,
            "global guidance: try obligations without a literal that lemmas bound further and further"
        ),
        &field!(
            "spacer.concretise",
            concretise,
            "global guidance: boxes where coefficients of lemmas diverge"
        ),
        &field!(
            "spacer.restrain",
            restrain,
            "global guidance: learn the negation of an obligation where lemmas would form a series"
        ),
        &field!(
            "spacer.restraints",
            restraints,
            "how many obligations of a predicate spacer.restrain may exclude at each bound"
        ),
        &field!("spacer.gas", gas, "how often a conjectured obligation is worked on"),
        &field!("spacer.cluster-gas", cluster_gas, "how often the lemmas of one pattern are looked at"),
        &theory_rule!(interpolation.theory),
        &proof_system!(interpolation.system),
        &simplify!(interpolation.simplify),
        &prune!(interpolation.prune),
        &retry_splits!(interpolation.retry_splits),
    ];
}

const LEMMAS: &[LemmaKind] = &[LemmaKind::Invariant];

/// The description of the engine for the registry.
pub const DESCRIPTION: EngineDescription = EngineDescription {
    name: "spacer",
    summary: "property-directed reachability with lemmas and facts for every predicate",
    fragment: Fragment::All,
    theories: Theories::All,
    sends: LEMMAS,
    takes: LEMMAS,
    constructor: &Make { engine: |settings| Box::new(Spacer::new(settings)), of_instance: None },
};
