//! Why there is no verdict: one sentence for everybody, and what each engine says for those who ask by `-v`.

use shem_base::{Statistic, Statistics};
use shem_decide::Undecided;

/// The count of terms that a pass has replaced by arbitrary values.
const ABSTRACTED: &str = "preprocess.abstract-products.terms";

/// What is told of an answer *unknown*.
pub(super) fn explanation(reason: &Undecided, statistics: &Statistics, verbosity: u64) -> String {
    let (mut sentence, details) = match reason {
        Undecided::Reported(text) => {
            let details: Vec<&str> = text.split("; ").collect();
            (summary(&details, verbosity), details)
        }
        reason => (reason.to_string(), Vec::new()),
    };
    let abstracted = matches!(statistics.get(ABSTRACTED), Some(Statistic::Count(1..)));
    if abstracted && !sentence.contains("product") {
        sentence += "; products and quotients of terms are approximated";
    }
    let mut text = format!("shem: unknown: {sentence}\n");
    if verbosity > 0 {
        text.extend(details.iter().map(|detail| format!("shem:   {detail}\n")));
    }
    text
}

/// One sentence for what several engines say.
fn summary(details: &[&str], verbosity: u64) -> String {
    let of_memory = |detail: &&str| detail.contains("memory");
    let hint = if verbosity > 0 { "" } else { "; -v says why each of them gave up" };
    match details {
        [only] => (*only).to_owned(),
        details if details.iter().all(of_memory) => {
            "every engine has used up its share of the memory".to_owned()
        }
        _ => format!("no engine decides it{hint}"),
    }
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
        let hint = "shem: unknown: no engine decides it; -v says why each of them gave up\n";
        assert_eq!(told(two, &statistics, 0), hint);
        assert_eq!(
            told(two, &statistics, 1),
            "shem: unknown: no engine decides it\nshem:   bmc: a limit\nshem:   kind: another\n"
        );
        let used_up = "shem: unknown: every engine has used up its share of the memory\n";
        assert_eq!(told(memory, &statistics, 0), used_up);
        statistics.add(ABSTRACTED, 3);
        let abstracted = "shem: unknown: bmc: a limit; products and quotients of terms are approximated\n";
        assert_eq!(told("bmc: a limit", &statistics, 0), abstracted);
    }
}
