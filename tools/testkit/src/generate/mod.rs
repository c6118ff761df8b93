//! Random incremental SMT-LIB scripts.
//!
//! A script is a pure function of a [`Profile`] and a seed. A profile is a corner of the language that
//! deserves tests of its own; within it the generator still varies sizes, numbers and the outline of
//! the script. Scripts are small, so that z3 decides nearly all of them at once.

mod bits;
mod grammar;
mod numbers;
mod outline;
mod profile;
mod quantified;
mod systems;
mod taste;
mod theories;
mod transition;

pub use profile::{
    BIT_PROFILES, BIT_PROOF_PROFILES, PROFILES, Profile, QUANTIFIED_PROFILES, THEORY_PROFILES,
};
pub use quantified::{FAMILIES, Family, Quantified};

use crate::rng::Rng;
use crate::sexpr::Sexpr;

/// The script of a profile and a seed, as a list of commands.
pub fn generate(profile: Profile, seed: u64) -> Vec<Sexpr> {
    // The profile's name enters the seed, so that equal seeds of two profiles give unrelated scripts.
    let salt = profile.name().bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let mut rng = Rng::new(seed ^ salt);
    profile.script(&mut rng)
}

/// The profile and seed of the script with a running number: the profiles of arithmetic take turns.
pub fn numbered(number: u64, first_seed: u64) -> (Profile, u64) {
    numbered_in(PROFILES, number, first_seed)
}

/// The profile and seed of the script with a running number, where these profiles take turns.
pub fn numbered_in(profiles: &[Profile], number: u64, first_seed: u64) -> (Profile, u64) {
    let count = profiles.len() as u64;
    (profiles[(number % count) as usize], first_seed + number / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{checks, print};

    #[test]
    fn scripts_are_a_function_of_profile_and_seed() {
        for profile in Profile::all() {
            assert_eq!(generate(profile, 5), generate(profile, 5), "{}", profile.name());
            assert_ne!(print(&generate(profile, 5)), print(&generate(profile, 6)), "{}", profile.name());
        }
    }

    #[test]
    fn every_script_checks_something_and_can_be_read_back() {
        for profile in Profile::all() {
            for seed in 0..30 {
                let commands = generate(profile, seed);
                let text = print(&commands);
                assert!(!checks(&commands).expect(&text).is_empty(), "{text}");
                assert_eq!(crate::sexpr::read_all(&text).as_ref(), Ok(&commands), "{text}");
            }
        }
    }

    #[test]
    fn numbered_scripts_take_turns() {
        let count = PROFILES.len() as u64;
        assert_eq!(numbered(0, 10), (PROFILES[0], 10));
        assert_eq!(numbered(count, 10), (PROFILES[0], 11));
        assert_eq!(numbered(count + 1, 10), (PROFILES[1], 11));
    }
}
