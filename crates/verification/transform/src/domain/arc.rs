//! Arcs of the circle of bit-vectors of a width: low, low + 1, and so on modulo 2^w.
//!
//! An arc has no sign: it may pass from the greatest number to zero, or from the greatest number with a sign to the least
//! one, and sums move it along (Navas, Schachte, Søndergaard and Stuckey 2012, "Signedness-agnostic program analysis:
//! precise integer bounds for low-level code"). Arcs are no lattice: two of them may have several least arcs that contain
//! both, and their intersection may be two arcs. [`Arc::join`] and [`Arc::meet`] give a shortest one.

use shem_base::{BitVec, Int};

/// So many bit-vectors from one on. Invariant *canonical*: the first is at least 0 and less than 2^w, there is at least one
/// and at most 2^w, and all of them begin with 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arc {
    width: u32,
    low: Int,
    size: Int,
}

fn power(exponent: u32) -> Int {
    Int::from(2).pow(exponent)
}

impl Arc {
    /// All bit-vectors of a width.
    pub fn all(width: u32) -> Arc {
        Arc { width, low: Int::ZERO, size: power(width) }
    }

    /// One bit-vector.
    pub fn point(value: &BitVec) -> Arc {
        Arc { width: value.width(), low: value.to_int(), size: Int::ONE }
    }

    /// The integers from `low` to `high`, which is not less, modulo 2^w.
    pub fn of_range(width: u32, low: &Int, high: &Int) -> Arc {
        let (modulus, size) = (power(width), &(high - low) + &Int::ONE);
        if size >= modulus {
            return Arc::all(width);
        }
        Arc { width, low: low.rem_floor(&modulus), size }
    }

    /// The number of bits.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Whether it has all bit-vectors.
    pub fn is_all(&self) -> bool {
        self.size == power(self.width)
    }

    /// The bit-vector, if there is only one.
    pub fn value(&self) -> Option<BitVec> {
        self.size.is_one().then(|| BitVec::from_int(self.width, &self.low))
    }

    /// The first number, and the last one, which may be beyond the greatest of the width.
    pub fn integers(&self) -> (Int, Int) {
        (self.low.clone(), &(&self.low + &self.size) - &Int::ONE)
    }

    /// How far a number is along the circle from the beginning of the arc.
    fn distance(&self, to: &Int) -> Int {
        (to - &self.low).rem_floor(&power(self.width))
    }

    /// Whether every bit-vector of the arc is in the other one.
    pub fn is_within(&self, other: &Arc) -> bool {
        other.is_all() || &other.distance(&self.low) + &self.size <= other.size
    }

    /// A shortest arc that has both.
    pub fn join(&self, other: &Arc) -> Arc {
        let from_to = |first: &Arc, second: &Arc| {
            let last = second.integers().1;
            let high = &first.low + &first.distance(&last);
            Arc::of_range(self.width, &first.low, &high)
        };
        let arcs = [self.clone(), other.clone(), from_to(self, other), from_to(other, self)];
        let both = arcs.into_iter().filter(|arc| self.is_within(arc) && other.is_within(arc));
        both.min_by(|a, b| a.size.cmp(&b.size)).unwrap_or_else(|| Arc::all(self.width))
    }

    /// A shortest arc that has what both have in common; `None` if that is nothing.
    pub fn meet(&self, other: &Arc) -> Option<Arc> {
        if self.is_within(other) {
            return Some(self.clone());
        }
        // What begins with the second arc, inside of the first.
        let piece = |first: &Arc, second: &Arc| {
            let distance = first.distance(&second.low);
            let size = (&first.size - &distance).min(second.size.clone());
            size.is_positive().then(|| Arc { width: first.width, low: second.low.clone(), size })
        };
        match (piece(self, other), piece(other, self)) {
            (Some(a), Some(b)) => Some(a.join(&b)),
            (a, b) => a.or(b),
        }
    }

    /// This arc, which contains the old one, with ends that moved put to where one of the readings ends, the next such
    /// place on their way. So each end moves a few times.
    pub fn widen(&self, old: &Arc) -> Arc {
        if self.is_all() {
            return self.clone();
        }
        let half = power(self.width - 1);
        let down = self.distance(&old.low);
        let has_risen = &self.size - &old.size > down;
        let (mut low, mut high) = self.integers();
        if !down.is_zero() {
            low = &low - &low.rem_floor(&half);
        }
        if has_risen {
            high = &high + &(&(&half - &Int::ONE) - &high.rem_floor(&half));
        }
        Arc::of_range(self.width, &low, &high)
    }

    /// The least and the greatest number, with or without signs.
    pub fn range(&self, has_sign: bool) -> (Int, Int) {
        let least = if has_sign { -&power(self.width - 1) } else { Int::ZERO };
        let offset = (&self.low - &least).rem_floor(&power(self.width));
        let (offset, size) = if &offset + &self.size <= power(self.width) {
            (offset, self.size.clone())
        } else {
            (Int::ZERO, power(self.width))
        };
        let low = &least + &offset;
        let high = &(&low + &size) - &Int::ONE;
        (low, high)
    }

    /// Whether there are numbers, with or without signs, between the least and the greatest that are not in the arc.
    pub fn is_torn(&self, has_sign: bool) -> bool {
        let (low, high) = self.range(has_sign);
        &high - &low >= self.size
    }

    /// The sums of members.
    pub fn add(&self, other: &Arc) -> Arc {
        let (a, b) = (self.integers(), other.integers());
        Arc::of_range(self.width, &(&a.0 + &b.0), &(&a.1 + &b.1))
    }

    /// The members with the other sign.
    pub fn negate(&self) -> Arc {
        let (low, high) = self.integers();
        Arc::of_range(self.width, &-&high, &-&low)
    }

    /// The members with all bits flipped.
    pub fn not(&self) -> Arc {
        self.negate().add(&Arc::point(&BitVec::ones(self.width)))
    }

    /// An arc that has the products of members: those of the integers, for each choice of their signs.
    pub fn multiply(&self, other: &Arc) -> Arc {
        let modulus = power(self.width);
        let choices = |arc: &Arc| {
            let (low, high) = arc.integers();
            [(&low - &modulus, &high - &modulus), (low, high)]
        };
        let mut best = Arc::all(self.width);
        for (a, b) in choices(self) {
            for (c, d) in choices(other) {
                let corners = [&a * &c, &a * &d, &b * &c, &b * &d];
                if let (Some(low), Some(high)) = (corners.iter().min(), corners.iter().max()) {
                    let arc = Arc::of_range(self.width, low, high);
                    best = if arc.size < best.size { arc } else { best };
                }
            }
        }
        best
    }

    /// The bits from `low` to `high` of members.
    pub fn extract(&self, high: u32, low: u32) -> Arc {
        let by = power(low);
        let (first, last) = self.integers();
        Arc::of_range(high - low + 1, &first.div_floor(&by), &last.div_floor(&by))
    }

    /// The bit-vectors with so many bits more whose highest bits are a member.
    pub fn above(&self, bits: u32) -> Arc {
        let by = power(bits);
        let (first, last) = self.integers();
        let high = &(&(&last + &Int::ONE) * &by) - &Int::ONE;
        Arc::of_range(self.width + bits, &(&first * &by), &high)
    }

    /// The arc without a bit-vector at one of its ends, or any if all are there; `None` if nothing is left. Others stay.
    pub fn without(&self, value: &BitVec) -> Option<Arc> {
        let (first, last) = self.integers();
        let number = value.to_int();
        let (low, high) = match self.distance(&number) {
            _ if self.value().as_ref() == Some(value) => return None,
            _ if self.is_all() => (&number + &Int::ONE, &number + &last),
            distance if distance.is_zero() => (&first + &Int::ONE, last),
            distance if &first + &distance == last => (first, &last - &Int::ONE),
            _ => return Some(self.clone()),
        };
        Some(Arc::of_range(self.width, &low, &high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All arcs of a width.
    fn arcs(width: u32) -> Vec<Arc> {
        let count = 1_i64 << width;
        let arc = |low: i64, size: i64| Arc::of_range(width, &Int::from(low), &Int::from(low + size - 1));
        let proper = (0..count).flat_map(|low| (1..count).map(move |size| (low, size)));
        proper.map(|(low, size)| arc(low, size)).chain([Arc::all(width)]).collect()
    }

    /// The members, as bits of a number.
    fn members(arc: &Arc) -> u32 {
        let (first, last) = arc.integers();
        let numbers = first.to_i64().expect("small")..=last.to_i64().expect("small");
        numbers.fold(0, |set, number| set | 1 << number.rem_euclid(1 << arc.width()))
    }

    fn numbers(arc: &Arc) -> Vec<u64> {
        let set = members(arc);
        (0..1 << arc.width()).filter(|&number| set >> number & 1 == 1).collect()
    }

    fn set(width: u32, values: impl Iterator<Item = BitVec>) -> u32 {
        values.fold(0, |set, value| {
            assert_eq!(value.width(), width);
            set | 1 << value.to_u64().expect("small")
        })
    }

    fn contains(arc: &Arc, values: impl Iterator<Item = BitVec>) -> bool {
        set(arc.width(), values) & !members(arc) == 0
    }

    /// Join and meet are shortest arcs, and inclusion is that of sets.
    #[test]
    fn pairs_of_arcs_are_joined_and_met() {
        for width in 1..=4 {
            let all: Vec<(Arc, u32)> =
                arcs(width).into_iter().map(|arc| (arc.clone(), members(&arc))).collect();
            let shortest =
                |of: u32| all.iter().filter(|(_, own)| of & !own == 0).map(|(_, own)| own.count_ones()).min();
            for (a, in_a) in &all {
                for (b, in_b) in &all {
                    assert_eq!(a.is_within(b), in_a & !in_b == 0, "{a:?} {b:?}");
                    let join = members(&a.join(b));
                    assert_eq!((in_a | in_b) & !join, 0, "{a:?} {b:?}");
                    assert_eq!(Some(join.count_ones()), shortest(in_a | in_b), "{a:?} {b:?}");
                    match a.meet(b) {
                        None => assert_eq!(in_a & in_b, 0, "{a:?} {b:?}"),
                        Some(meet) => {
                            assert_eq!(in_a & in_b & !members(&meet), 0, "{a:?} {b:?}");
                            assert_eq!(
                                Some(members(&meet).count_ones()),
                                shortest(in_a & in_b),
                                "{a:?} {b:?}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// Results have all results of members, and those of sums no others.
    #[test]
    fn operations_have_all_results() {
        for width in 1..=4 {
            let value = |number: u64| BitVec::new(width, number);
            for a in arcs(width) {
                let own = numbers(&a);
                let single = |operation: &dyn Fn(BitVec) -> BitVec| {
                    own.iter().map(|&n| operation(value(n))).collect::<Vec<_>>()
                };
                assert_eq!(members(&a.negate()), set(width, single(&|n| n.neg()).into_iter()));
                assert_eq!(members(&a.not()), set(width, single(&|n| n.not()).into_iter()));
                for high in 0..width {
                    for low in 0..=high {
                        assert!(contains(
                            &a.extract(high, low),
                            single(&|n| n.extract(high, low)).into_iter()
                        ));
                    }
                }
                let above = a.above(1);
                let expected =
                    own.iter().flat_map(|&n| [2 * n, 2 * n + 1]).map(|n| BitVec::new(width + 1, n));
                assert_eq!(members(&above), set(width + 1, expected));
                for has_sign in [true, false] {
                    let read = |n: &u64| if has_sign { value(*n).to_signed() } else { value(*n).to_int() };
                    let read: Vec<Int> = own.iter().map(read).collect();
                    let range =
                        (read.iter().min().expect("one").clone(), read.iter().max().expect("one").clone());
                    assert_eq!(a.range(has_sign), range, "{a:?}");
                    let count = (&(&range.1 - &range.0) + &Int::ONE).to_i64().expect("small");
                    assert_eq!(a.is_torn(has_sign), count != own.len() as i64, "{a:?}");
                }
                for number in 0..1 << width {
                    let rest = own.iter().copied().filter(|&n| n != number).map(value);
                    match a.without(&value(number)) {
                        None => assert_eq!(rest.count(), 0),
                        Some(without) => assert!(contains(&without, rest)),
                    }
                }
                for b in arcs(width) {
                    let others = numbers(&b);
                    let pairs = |operation: &dyn Fn(&BitVec, &BitVec) -> BitVec| {
                        let pair = |&n: &u64| others.iter().map(move |&m| (value(n), value(m)));
                        own.iter().flat_map(pair).map(|(n, m)| operation(&n, &m)).collect::<Vec<_>>()
                    };
                    assert_eq!(members(&a.add(&b)), set(width, pairs(&|n, m| n.add(m)).into_iter()));
                    assert!(contains(&a.multiply(&b), pairs(&|n, m| n.mul(m)).into_iter()), "{a:?} {b:?}");
                }
            }
        }
    }

    /// A chain of arcs that are widened ends soon, and contains what it is given.
    #[test]
    fn widening_ends() {
        for width in 1..=4 {
            for start in arcs(width) {
                for step in arcs(width) {
                    let mut arc = start.clone();
                    let mut moves = 0;
                    loop {
                        let next = arc.join(&arc.add(&step));
                        if next == arc {
                            break;
                        }
                        let wide = next.widen(&arc);
                        assert!(next.is_within(&wide), "{arc:?} {next:?} {wide:?}");
                        arc = wide;
                        moves += 1;
                    }
                    assert!(moves <= 6, "{start:?} {step:?}");
                }
            }
        }
    }
}
