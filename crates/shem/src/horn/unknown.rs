//! Why there is no verdict: one sentence for everybody, and what each engine says for those who ask by `-v`.

use shem_base::Statistics;
use shem_decide::Undecided;

/// What is told of an answer *unknown*.
pub(super) fn explanation(reason: &Undecided, statistics: &Statistics, verbosity: u64) -> String {
    let (sentence, details) = reason.explained(statistics);
    let hint = if verbosity == 0 && details.len() > 1 { "; -v says why each of them gave up" } else { "" };
    let mut text = format!("shem: unknown: {sentence}{hint}\n");
    if verbosity > 0 {
        text.extend(details.iter().map(|detail| format!("shem:   {detail}\n")));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_says_what_matters() {
        let mut statistics = Statistics::new();
        let told = |text: &str, statistics: &Statistics, verbosity| {
            explanation(&Undecided::Reported(text.to_owned()), statistics, verbosity)
        };
        let (two, memory) =
            ("bmc: a limit; kind: another", "bmc: out of memory; kind: the memory is used up");
        let hint = "; -v says why each of them gave up\n";
        assert_eq!(told(two, &statistics, 0), format!("shem: unknown: no engine decides it{hint}"));
        assert_eq!(
            told(two, &statistics, 1),
            "shem: unknown: no engine decides it\nshem:   bmc: a limit\nshem:   kind: another\n"
        );
        let used_up = "shem: unknown: every engine has used up its share of the memory";
        assert_eq!(told(memory, &statistics, 0), format!("{used_up}{hint}"));
        statistics.add("preprocess.abstract-products.terms", 3);
        let abstracted = "shem: unknown: bmc: a limit; products and quotients of terms are approximated\n";
        assert_eq!(told("bmc: a limit", &statistics, 0), abstracted);
    }
}
