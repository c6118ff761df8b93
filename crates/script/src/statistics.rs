//! Statistics for people: in groups, without what did not happen.

use std::fmt;

use shem_base::{Statistic, Statistics};

/// Displays statistics: a group for each first part of the names, under that part; zeros are left out. A line is a name
/// and a figure, so that programs find what they look for.
pub struct Grouped<'a>(pub &'a Statistics);

impl fmt::Display for Grouped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let happened = |figure: &Statistic| match *figure {
            Statistic::Count(count) => count > 0,
            // What is printed as zero is zero.
            Statistic::Measure(measure) => measure.abs() >= 0.0005,
        };
        let figures: Vec<(&str, Statistic)> = self.0.iter().filter(|(_, figure)| happened(figure)).collect();
        let width = figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let group = |name: &'_ str| name.split('.').next().unwrap_or(name).len();
        let mut last = "";
        for (name, figure) in &figures {
            let own = &name[..group(name)];
            if own != last {
                writeln!(f, "{own}:")?;
                last = own;
            }
            writeln!(f, "  {name:<width$}  {figure:>12}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_no_zeros() {
        let mut statistics = Statistics::new();
        statistics.add("spacer.lemmas", 3);
        statistics.add("spacer.facts", 0);
        statistics.add("spacer.smt.queries", 12);
        statistics.set("time.read", 0.25);
        statistics.set("time.witness", 0.0001);
        statistics.add("tpa.levels", 0);
        let expected = "\
spacer:
  spacer.lemmas                  3
  spacer.smt.queries            12
time:
  time.read                  0.250
";
        assert_eq!(Grouped(&statistics).to_string(), expected);
        assert_eq!(Grouped(&Statistics::new()).to_string(), "");
    }
}
