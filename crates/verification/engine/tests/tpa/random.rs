//! Random finite systems, whose answer is found by visiting all states, under all settings.

use shem_base::{Budget, Rng};
use shem_engine::tpa::{Direction, StepOrder, Tpa, TpaSettings};
use shem_smt::interpolate::{InterpolationSystem, ItpOptions, TheoryRule};
use shem_term::Store;
use shem_test_support::engine::{Found, run_transition};
use shem_test_support::finite::Finite;

fn settings(rng: &mut Rng) -> TpaSettings {
    let interpolation = ItpOptions {
        theory: *rng.pick(&[
            TheoryRule::Farkas,
            TheoryRule::DualFarkas,
            TheoryRule::Decomposed,
            TheoryRule::DualDecomposed,
        ]),
        system: *rng.pick(&InterpolationSystem::ALL),
        ..ItpOptions::default()
    };
    TpaSettings {
        base: 2 + rng.index(3),
        direction: *rng.pick(&[Direction::Forward, Direction::Backward]),
        step_order: *rng.pick(&[StepOrder::LessFirst, StepOrder::EqualFirst]),
        use_qe: rng.chance(20),
        runs: rng.chance(50),
        stuttering: rng.chance(50),
        interpolation,
        force_ts: false,
    }
}

#[test]
fn answers_agree_with_a_visit_of_all_states() {
    let mut rng = Rng::new(17);
    let (mut safe, mut invariants, mut unsafes, mut unknown) = (0, 0, 0, 0);
    let rounds = 150;
    for round in 0..rounds {
        let finite = Finite::random(&mut rng);
        let distance = finite.distance();
        let chosen = if round % 3 == 0 { TpaSettings::default() } else { settings(&mut rng) };
        for mut engine in [Tpa::new(chosen.clone()), Tpa::split(chosen.clone())] {
            let mut store = Store::new();
            let system = finite.system(&mut store);
            let budget = Budget { conflicts: 20_000, ..Budget::unlimited() };
            match run_transition(&mut store, &system, &mut engine, budget).0 {
                Found::Safe { invariant } => {
                    assert_eq!(distance, None, "round {round}, {chosen:?}");
                    safe += 1;
                    invariants += usize::from(invariant);
                }
                Found::Unsafe { steps } => {
                    let least = distance.unwrap_or_else(|| panic!("round {round} is safe, {chosen:?}"));
                    assert!(steps >= least, "round {round}: no path is shorter than {least}");
                    unsafes += 1;
                }
                Found::Unknown(_) => unknown += 1,
            }
        }
    }
    assert!(safe > rounds / 2 && unsafes > rounds / 4, "{safe} safe, {unsafes} unsafe");
    assert!(unknown * 20 < 2 * rounds, "{unknown} unknown of {}", 2 * rounds);
    assert!(invariants * 10 > 9 * safe, "{invariants} invariants of {safe}");
}
