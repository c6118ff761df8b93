//! How instances of an engine differ.
//!
//! Chapter 6 of Blicha's thesis runs several instances of one engine that differ in how deep they induce (κ), in the order
//! of their obligations (ω) and in what they learn (σ: first the interpolation algorithm, then the seed). This is the only
//! place that says how instance number i of an engine differs: its settings are the [`Variation`] i modulo the number of
//! variations, and its seed is i more than that of instance 0. So every instance differs from every other, without end.
//! Variation 0 is the default, and a setting that was given on the command line stays as it was given.
//!
//! With the setting `pure`, an engine is what its paper describes, so that the experiments of the paper can be repeated:
//! `pure` has other lists for that, in which variation 0 switches off what the paper does not have, and the others, of
//! which it is a part, are the instances of chapter 6.

/// Settings with their values, as they are typed.
pub type Variation = &'static [(&'static str, &'static str)];

/// For engines of which instances differ in their seeds alone.
pub const SEEDS: &[Variation] = &[&[]];

const THEORY: &str = "lra-itp-algorithm";
const PROOFS: &str = "bool-itp-algorithm";
/// The algorithms of interpolation: see the setting.
const DUAL: (&str, &str) = (THEORY, "2");
const DECOMPOSED: (&str, &str) = (THEORY, "4");
const DUAL_DECOMPOSED: (&str, &str) = (THEORY, "5");

/// The three interpolation algorithms of the thesis first, then the others with depths and orders.
pub(crate) const PDKIND: &[Variation] = &[
    &[],
    &[DECOMPOSED],
    &[DUAL, ("pdkind.order", "scored")],
    &[DECOMPOSED, ("pdkind.depth", "1"), ("pdkind.order", "oldest")],
    &[("pdkind.depth", "4"), ("pdkind.order", "scored")],
    &[DUAL, ("pdkind.depth", "1")],
    &[DECOMPOSED, ("pdkind.depth", "4"), ("pdkind.order", "random")],
    &[("pdkind.depth", "1"), ("pdkind.order", "oldest")],
    &[DUAL, ("pdkind.depth", "4"), ("pdkind.order", "oldest")],
];

/// What lemmas are made of differs most; then come guidance and the order of obligations.
pub(crate) const SPACER: &[Variation] = &[
    &[],
    &[("spacer.restrain", "no"), DECOMPOSED],
    &[("spacer.lemmas", "core"), ("spacer.order", "small")],
    &[DUAL, ("spacer.retry", "next")],
    &[("spacer.restrain", "no"), ("spacer.conjecture", "no"), ("spacer.order", "small")],
    &[(PROOFS, "dual-mcmillan"), ("spacer.subsume", "no")],
    &[DUAL_DECOMPOSED, ("spacer.concretise", "no")],
    &[("spacer.lemmas", "core"), ("spacer.restrain", "no"), ("spacer.retry", "next")],
];

pub(crate) const LAWI: &[Variation] = &[
    &[],
    &[DECOMPOSED],
    &[DUAL, ("lawi.local-refinement", "0")],
    &[("forced-covering", "yes")],
    &[(PROOFS, "dual-mcmillan"), ("lawi.path-labels", "no")],
    &[DUAL_DECOMPOSED, ("forced-covering", "yes")],
];

pub(crate) const IMC: &[Variation] = &[
    &[],
    &[DECOMPOSED],
    &[DUAL],
    &[(PROOFS, "occurrence")],
    &[(PROOFS, "dual-mcmillan"), DUAL_DECOMPOSED],
    &[(PROOFS, "proof-sensitive")],
];

pub(crate) const TPA: &[Variation] = &[
    &[],
    &[("tpa.direction", "backward")],
    &[DECOMPOSED],
    &[DUAL, ("tpa.direction", "backward")],
    &[("tpa.base", "3")],
    &[(PROOFS, "dual-mcmillan"), ("tpa.steps", "less-first")],
    &[DUAL_DECOMPOSED, ("tpa.base", "4")],
];

pub(crate) const TRL: &[Variation] = &[
    &[],
    &[("trl.direction", "backward")],
    &[("trl.direction", "forward"), ("trl.precision", "sides")],
    &[("trl.precision", "coarse")],
    &[("trl.precision", "quotients"), ("trl.direction", "backward")],
];

pub(crate) const KIND: &[Variation] = &[&[], &[("kind.simple-paths", "yes")]];

pub(crate) const IC3: &[Variation] = &[
    &[],
    &[("ic3.ctgs", "0")],
    &[("ic3.ctg-depth", "2")],
    &[("ic3.ctgs", "6")],
    &[("ic3.ctgs", "1"), ("ic3.ctg-depth", "2")],
];

const SCORED: (&str, &str) = ("pdkind.order", "scored");

/// The variations of an engine as its paper has it; only seeds for those that have no further parts.
///
/// - `lawi`: McMillan (2006), whose paths are refuted as a whole.
/// - `pdkind`: section 6.4 of the thesis: three interpolation algorithms in turn, and the priority queue.
/// - `spacer`: RecMC of Komuravelli, Gurfinkel and Chaki (2016), without global guidance (2020), with interpolants as
///   lemmas, and obligations that are raised with the bound only.
/// - `split-tpa`, `tpa`: deep paths are searched, not run, and the transition relation is taken as it is.
pub(crate) fn pure(engine: &str) -> &'static [Variation] {
    match engine {
        "lawi" => &[&[("lawi.path-labels", "no"), ("lawi.local-refinement", "0")]],
        "pdkind" => &[&[SCORED], &[SCORED, DECOMPOSED], &[SCORED, DUAL]],
        "spacer" => &[&[
            ("spacer.subsume", "no"),
            ("spacer.conjecture", "no"),
            ("spacer.concretise", "no"),
            ("spacer.restrain", "no"),
            ("spacer.clauses", "no"),
            ("spacer.retry", "next"),
        ]],
        "split-tpa" | "tpa" => &[&[("tpa.runs", "no"), ("tpa.stuttering", "yes")]],
        _ => SEEDS,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use crate::{EngineChoice, Registry};

    /// Variation 0 is the default, every value is one of its setting, and no two variations are the same.
    #[test]
    fn variations_are_settings_and_differ() {
        for &engine in Registry::standard().engines() {
            let choice = |number| EngineChoice::new(engine).instance(number);
            assert_eq!(choice(0), EngineChoice::new(engine), "{}", engine.name);
            let count = engine.variations.len();
            let words: HashSet<Vec<String>> = (0..count).map(|number| choice(number).words()).collect();
            assert_eq!(words.len(), count, "{}", engine.name);
            for number in 0..count {
                assert_eq!(choice(number).words().len(), engine.variations[number].len(), "{}", engine.name);
                choice(number).make();
            }
            assert_eq!(choice(count), choice(0), "{}", engine.name);
        }
    }

    /// What makes an engine pure is part of each instance, and stands in its command line once it is one.
    #[test]
    fn pure_instances_are_pure() {
        let mut with_parts = 0;
        for &engine in Registry::standard().engines() {
            let variations = super::pure(engine.name);
            assert!(
                variations.iter().all(|variation| variations[0].iter().all(|part| variation.contains(part)))
            );
            let mut choice = EngineChoice::new(engine);
            choice.set("pure", "yes").expect("a setting of all engines");
            assert_eq!(choice.words(), ["--pure"], "{}", engine.name);
            assert!(choice.preparation().pure || choice.preparation().as_read, "{}", engine.name);
            let words: HashSet<Vec<String>> =
                (0..variations.len()).map(|number| choice.clone().instance(number).words()).collect();
            assert_eq!(words.len(), variations.len(), "{}", engine.name);
            choice.make();
            with_parts += usize::from(!variations[0].is_empty());
        }
        assert_eq!(with_parts, 5);
        let mut spacer = Registry::standard().choose("spacer").expect("an engine");
        spacer.set("pure", "yes").expect("a setting");
        spacer.set("spacer.subsume", "yes").expect("a value");
        assert!(spacer.instance(0).words().contains(&"--spacer.subsume=yes".to_owned()));
    }

    #[test]
    fn what_was_set_stays() {
        let registry = Registry::standard();
        let mut engine = registry.choose("spacer").expect("an engine");
        engine.set("spacer.lemmas", "interpolant").expect("a value");
        let words = engine.instance(2).words();
        assert_eq!(words, ["--spacer.lemmas=interpolant", "--spacer.order=small"]);
    }
}
