//! Sums over the variables of a target.

use shem_base::{Int, Rat};

/// Sorts the sum, adds up equal variables and drops zeros.
pub(crate) fn add_up<N: Copy + Ord>(sum: &mut Vec<(N, Rat)>) {
    sum.sort_unstable_by_key(|t| t.0);
    sum.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += &next.1;
        }
        same
    });
    sum.retain(|t| !t.1.is_zero());
}

/// Sorts the sum, adds up equal variables, and divides it so that its coefficients are coprime integers and
/// the first is positive. Returns what it was divided by, or `None` if the sum is zero.
pub(crate) fn make_primitive<N: Copy + Ord>(sum: &mut Vec<(N, Rat)>) -> Option<Rat> {
    add_up(sum);
    let first = sum.first()?;
    let negative = first.1.is_negative();
    let mut divisor = Int::ZERO;
    let mut denominator = Int::ONE;
    for (_, c) in sum.iter() {
        if !c.is_integer() {
            denominator = denominator.lcm(&c.denom());
        }
    }
    for (_, c) in sum.iter() {
        if divisor.is_one() {
            break;
        }
        let coeff =
            if denominator.is_one() { c.numer() } else { c.numer() * &denominator.div_exact(&c.denom()) };
        divisor = divisor.gcd(&coeff);
    }
    let mut factor = Rat::new(divisor, denominator);
    if negative {
        factor = -factor;
    }
    if !factor.is_one() {
        for (_, c) in sum.iter_mut() {
            *c = &*c / &factor;
        }
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_become_primitive() {
        let half = Rat::new(Int::ONE, Int::from(2));
        let mut sum =
            vec![(3, Rat::from(3)), (1, -half.clone()), (2, Rat::ONE), (1, -half), (2, Rat::MINUS_ONE)];
        let factor = make_primitive(&mut sum).unwrap();
        assert_eq!(factor, Rat::MINUS_ONE);
        assert_eq!(sum, vec![(1, Rat::ONE), (3, Rat::from(-3))]);
        let mut zero = vec![(1, Rat::ONE), (1, Rat::MINUS_ONE)];
        assert_eq!(make_primitive(&mut zero), None);
    }
}
