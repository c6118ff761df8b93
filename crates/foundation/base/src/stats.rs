//! Figures of a run, under dotted names such as `sat.conflicts`.
//!
//! Hot code counts in fields of its own and hands the figures over at the end; this map is for collecting and
//! printing them, always in the order of their names.

use std::collections::BTreeMap;
use std::fmt;

/// One figure.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Statistic {
    /// How often something happened.
    Count(u64),
    /// A measured quantity.
    Measure(f64),
}

impl From<u64> for Statistic {
    fn from(count: u64) -> Statistic {
        Statistic::Count(count)
    }
}

impl From<f64> for Statistic {
    fn from(measure: f64) -> Statistic {
        Statistic::Measure(measure)
    }
}

impl fmt::Display for Statistic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statistic::Count(count) => f.pad(&count.to_string()),
            Statistic::Measure(measure) => f.pad(&format!("{measure:.3}")),
        }
    }
}

/// Figures by name.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Statistics {
    figures: BTreeMap<String, Statistic>,
}

impl Statistics {
    /// No figures.
    pub fn new() -> Statistics {
        Statistics::default()
    }

    /// Adds to the count of this name, which begins at zero.
    pub fn add(&mut self, name: &str, count: u64) {
        self.accumulate(name, Statistic::Count(count));
    }

    /// Sets the figure of this name.
    pub fn set(&mut self, name: &str, figure: impl Into<Statistic>) {
        self.figures.insert(name.to_owned(), figure.into());
    }

    /// The figure of this name.
    pub fn get(&self, name: &str) -> Option<Statistic> {
        self.figures.get(name).copied()
    }

    /// The count of this name; zero if there is none.
    pub fn count(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Statistic::Count(count)) => count,
            _ => 0,
        }
    }

    /// The figures in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Statistic)> {
        self.figures.iter().map(|(name, figure)| (name.as_str(), *figure))
    }

    /// Adds the figures of `other`, each under `prefix.name`; under `name` if the prefix is empty.
    pub fn merge_prefixed(&mut self, prefix: &str, other: &Statistics) {
        for (name, figure) in other.iter() {
            if prefix.is_empty() {
                self.accumulate(name, figure);
            } else {
                self.accumulate(&format!("{prefix}.{name}"), figure);
            }
        }
    }

    /// Adds the figure to the one of the same name. A count and a measure make a measure.
    fn accumulate(&mut self, name: &str, figure: Statistic) {
        use Statistic::{Count, Measure};
        let Some(sum) = self.figures.get_mut(name) else {
            self.figures.insert(name.to_owned(), figure);
            return;
        };
        *sum = match (*sum, figure) {
            (Count(a), Count(b)) => Count(a.saturating_add(b)),
            (Count(a), Measure(b)) => Measure(a as f64 + b),
            (Measure(a), Count(b)) => Measure(a + b as f64),
            (Measure(a), Measure(b)) => Measure(a + b),
        };
    }
}

/// One line a figure, names to the left and values to the right.
impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.figures.keys().map(String::len).max().unwrap_or(0);
        for (name, figure) in self.iter() {
            writeln!(f, "{name:<width$}  {figure:>12}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_add_up_and_print_in_order() {
        let mut sat = Statistics::new();
        sat.add("conflicts", 3);
        sat.add("conflicts", 4);
        sat.set("seconds", 0.5);
        let mut all = Statistics::new();
        all.add("queries", 1);
        all.merge_prefixed("sat", &sat);
        all.merge_prefixed("sat", &sat);
        assert_eq!(all.count("sat.conflicts"), 14);
        assert_eq!(all.get("sat.seconds"), Some(Statistic::Measure(1.0)));
        assert_eq!(all.count("nothing"), 0);
        let expected =
            "queries                   1\nsat.conflicts            14\nsat.seconds           1.000\n";
        assert_eq!(all.to_string(), expected);
    }
}
