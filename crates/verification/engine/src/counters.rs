//! Counters of an engine that report themselves.
//!
//! Hot code counts in the fields of a struct; the struct knows under which name each of them stands in the
//! statistics, so that a counter is written down once.

/// Declares a struct of counters, each with its name in the statistics, and its method `report`, which adds all of
/// them to [`Statistics`](shem_base::Statistics).
macro_rules! counters {
    (
        $(#[$attribute:meta])*
        $visibility:vis struct $struct:ident {
            $($(#[$about:meta])* $counter:ident: $name:literal,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default)]
        $visibility struct $struct {
            $($(#[$about])* $visibility $counter: u64,)*
        }

        impl $struct {
            /// Adds all counters to the statistics.
            $visibility fn report(&self, statistics: &mut ::shem_base::Statistics) {
                $(statistics.add($name, self.$counter);)*
            }
        }
    };
}

pub(crate) use counters;

#[cfg(test)]
mod tests {
    use shem_base::Statistics;

    counters! {
        /// Counters of a test.
        struct Counters {
            /// How often the first thing happened.
            first: "things.first",
            /// How often the second thing happened.
            second: "things.second",
        }
    }

    #[test]
    fn every_counter_is_reported_under_its_name() {
        let mut statistics = Statistics::new();
        let counters = Counters { first: 2, second: 0 };
        counters.report(&mut statistics);
        counters.report(&mut statistics);
        assert_eq!(statistics.count("things.first"), 4);
        assert_eq!(statistics.get("things.second"), Some(0.into()));
    }
}
