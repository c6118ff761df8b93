//! Results as a table to read and as comma-separated values.

use super::measure::{Class, Comparison, Sample};
use std::fmt::Write;

const CLASSES: [Class; 3] = [Class::Unrolling, Class::Tiny, Class::Engine];

/// The table: a line a file, then means and totals a class, then early against late queries.
///
/// `startup` is the time that Shem and z3 need for an empty script; the net ratio leaves it out.
pub fn table(comparisons: &[Comparison], startup: (f64, f64)) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:<52} {:>7} {:>9} {:>9} {:>7} {:>7} {:>8} {:>8}",
        "file", "checks", "shem s", "z3 s", "ratio", "net", "shem MB", "z3 MB"
    );
    for class in CLASSES {
        let of_class: Vec<_> = comparisons.iter().filter(|comparison| comparison.class == class).collect();
        if of_class.is_empty() {
            continue;
        }
        let _ = writeln!(text, "-- {}", class.name());
        for comparison in &of_class {
            let _ = writeln!(
                text,
                "{:<52} {:>7} {:>9.4} {:>9.4} {:>7.3} {:>7.3} {:>8.1} {:>8.1}{}",
                comparison.name,
                comparison.checks,
                comparison.shem.seconds,
                comparison.z3.seconds,
                comparison.ratio(),
                net_ratio(comparison, startup),
                megabytes(&comparison.shem),
                megabytes(&comparison.z3),
                troubles(comparison),
            );
        }
    }
    let _ = writeln!(text, "\nstart-up: shem {:.4} s, z3 {:.4} s", startup.0, startup.1);
    for class in CLASSES {
        summarise(&mut text, comparisons, class, startup);
    }
    for comparison in comparisons.iter().filter(|comparison| comparison.class == Class::Tiny) {
        growth(&mut text, &comparison.name, "shem", &comparison.shem);
        growth(&mut text, &comparison.name, "z3", &comparison.z3);
    }
    text
}

fn summarise(text: &mut String, comparisons: &[Comparison], class: Class, startup: (f64, f64)) {
    let of_class: Vec<_> = comparisons.iter().filter(|comparison| comparison.class == class).collect();
    let sound: Vec<_> = of_class.iter().filter(|comparison| comparison.is_sound()).collect();
    if of_class.is_empty() {
        return;
    }
    let mean = geometric_mean(sound.iter().map(|comparison| comparison.ratio()));
    let net = geometric_mean(sound.iter().map(|comparison| net_ratio(comparison, startup)));
    let (shem, z3) = sound.iter().fold((0.0, 0.0), |(shem, z3), comparison| {
        (shem + comparison.shem.seconds, z3 + comparison.z3.seconds)
    });
    let goal = class.goal();
    let verdict = if mean <= goal && sound.len() == of_class.len() { "met" } else { "MISSED" };
    let _ = writeln!(
        text,
        "{:<12} {}/{} files answered as promised; geometric mean {mean:.3} (net {net:.3}); total {shem:.2} s / {z3:.2} s = {:.3}; goal {goal} {verdict}",
        class.name(),
        sound.len(),
        of_class.len(),
        shem / z3
    );
}

/// Early against late queries.
fn growth(text: &mut String, name: &str, program: &str, sample: &Sample) {
    let _ = match sample.growth() {
        Some((first, last, ratio)) => writeln!(
            text,
            "{name}: {program}: first window {:.1} ms, last window {:.1} ms, ratio {ratio:.2}; peak {:.0} MB",
            first * 1e3,
            last * 1e3,
            megabytes(sample)
        ),
        None => writeln!(text, "{name}: {program}: no times of single queries (output held back?)"),
    };
}

/// The time of queries beside inactive lemmas against the same queries without. Reading the lemmas is
/// not counted, since it happens before the first marker.
pub fn inactive([without, with]: &[Sample; 2]) -> String {
    if let Some(trouble) = without.trouble.as_ref().or(with.trouble.as_ref()) {
        return format!("inactive lemmas: {trouble}\n");
    }
    let (before, after) = (without.windows.iter().sum::<f64>(), with.windows.iter().sum::<f64>());
    format!(
        "inactive lemmas: {:.1} ms without, {:.1} ms with 10,000, ratio {:.2}\n",
        before * 1e3,
        after * 1e3,
        after / before
    )
}

/// One line a file with all numbers, for programs.
pub fn csv(comparisons: &[Comparison]) -> String {
    let mut text = String::from(
        "class,file,checks,shem_seconds,z3_seconds,ratio,shem_bytes,z3_bytes,shem_trouble,z3_trouble\n",
    );
    for comparison in comparisons {
        let trouble = |sample: &Sample| sample.trouble.clone().unwrap_or_default().replace([',', '"'], " ");
        let _ = writeln!(
            text,
            "{},{},{},{:.6},{:.6},{:.4},{},{},{},{}",
            comparison.class.name(),
            comparison.name,
            comparison.checks,
            comparison.shem.seconds,
            comparison.z3.seconds,
            comparison.ratio(),
            comparison.shem.memory,
            comparison.z3.memory,
            trouble(&comparison.shem),
            trouble(&comparison.z3),
        );
    }
    text
}

fn troubles(comparison: &Comparison) -> String {
    let part = |program: &str, sample: &Sample| {
        sample.trouble.as_ref().map(|trouble| format!("  {program}: {trouble}")).unwrap_or_default()
    };
    part("shem", &comparison.shem) + &part("z3", &comparison.z3)
}

/// The ratio without start-up; a tenth of a millisecond is the least time that we can tell.
fn net_ratio(comparison: &Comparison, startup: (f64, f64)) -> f64 {
    let least = 1e-4;
    (comparison.shem.seconds - startup.0).max(least) / (comparison.z3.seconds - startup.1).max(least)
}

fn megabytes(sample: &Sample) -> f64 {
    sample.memory as f64 / 1e6
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = ratios.fold((0.0, 0), |(sum, count), ratio| (sum + ratio.ln(), count + 1));
    (sum / f64::from(count)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(class: Class, shem: f64, z3: f64) -> Comparison {
        let sample =
            |seconds| Sample { seconds, memory: 5_000_000, windows: vec![seconds / 2.0; 2], trouble: None };
        Comparison { class, name: "file".to_owned(), checks: 3, shem: sample(shem), z3: sample(z3) }
    }

    #[test]
    fn means_are_geometric() {
        assert!((geometric_mean([0.5, 2.0].into_iter()) - 1.0).abs() < 1e-9);
        let results = [comparison(Class::Unrolling, 1.0, 2.0), comparison(Class::Unrolling, 4.0, 2.0)];
        let text = table(&results, (0.0, 0.0));
        assert!(text.contains("geometric mean 1.000") && text.contains("goal 1 met"), "{text}");
    }

    #[test]
    fn a_file_in_trouble_counts_for_no_mean_and_misses_the_goal() {
        let mut bad = comparison(Class::Engine, 0.1, 1.0);
        bad.shem.trouble = Some("1 wrong, 0 unknown".to_owned());
        let results = [comparison(Class::Engine, 0.1, 1.0), bad];
        let text = table(&results, (0.0, 0.0));
        assert!(text.contains("1/2 files") && text.contains("MISSED"), "{text}");
        assert_eq!(csv(&results).lines().count(), 3);
        assert!(csv(&results).contains("1 wrong  0 unknown"));
    }

    #[test]
    fn windows_give_growth() {
        let text = table(&[comparison(Class::Tiny, 1.0, 2.0)], (0.0, 0.0));
        assert!(text.contains("ratio 1.00; peak 5 MB"), "{text}");
    }
}
