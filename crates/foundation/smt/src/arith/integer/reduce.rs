//! Reduced bases of lattices.
//!
//! Which basis a lattice is given by decides whether a search over its points ends soon. In a reduced basis the
//! vectors are short and nearly orthogonal, so that the planes on which a coordinate is an integer are far
//! apart and few of them meet the polyhedron (Lenstra, Lenstra and Lovász, "Factoring polynomials with rational
//! coefficients", 1982; Lenstra, "Integer programming with a fixed number of variables", 1983). The length of a
//! vector is measured by what it means for the constraints: see `lattice`.
//!
//! Every step is unimodular and is made with exact integers, on the vectors and on the dual forms, which are
//! the coordinates. Lengths are floating-point numbers: they only say which steps to make, and any steps give
//! a basis of the same lattice. So their errors cost quality, not soundness, and the number of steps is limited.

use shem_base::Int;

/// Steps before the reduction ends with the basis that it has.
const MAX_STEPS: usize = 600;

/// Passes in which one vector is made shorter by the others.
const MAX_PASSES: usize = 8;

/// A quotient above which the precision of a pass is in doubt.
const ROUGH: f64 = 1e6;

/// The largest multiple that is taken in one pass.
const LARGEST: f64 = 1e15;

/// A basis of a lattice.
#[derive(Debug)]
pub(super) struct Basis {
    /// By parameter: the vector by which the point moves if the parameter grows by one.
    pub(super) vectors: Vec<Vec<Int>>,
    /// By parameter: the form that has the value of the parameter at a point of the lattice.
    pub(super) forms: Vec<Vec<Int>>,
}

impl Basis {
    /// Reduces the basis. `image` says where a vector lies in a Euclidean space.
    pub(super) fn reduce(&mut self, image: impl Fn(&[Int]) -> Vec<f64>) {
        let count = self.vectors.len();
        let mut images: Vec<Vec<f64>> = self.vectors.iter().map(|vector| image(vector)).collect();
        // The part of each image that is orthogonal to those before, with the squares of their lengths.
        let mut orthogonal = images.clone();
        let mut squares = vec![0.0; count];
        let mut steps = 0;
        let mut k = 0;
        while k < count && steps < MAX_STEPS {
            steps += 1;
            for _ in 0..MAX_PASSES {
                let mut is_rough = false;
                for j in (0..k).rev() {
                    let quotient = (dot(&images[k], &orthogonal[j]) / squares[j]).round();
                    if quotient == 0.0 || quotient.is_nan() {
                        continue;
                    }
                    is_rough |= quotient.abs() > ROUGH;
                    // Large quotients are taken in several passes, as precise as numbers can be in each.
                    let quotient = quotient.clamp(-LARGEST, LARGEST);
                    let (before, after) = images.split_at_mut(k);
                    after[0].iter_mut().zip(&before[j]).for_each(|(x, y)| *x -= quotient * y);
                    self.subtract(k, j, &Int::from(quotient as i64));
                }
                if !is_rough {
                    break;
                }
                images[k] = image(&self.vectors[k]);
            }
            orthogonal[k] = images[k].clone();
            for j in 0..k {
                let factor = dot(&images[k], &orthogonal[j]) / squares[j];
                let (before, after) = orthogonal.split_at_mut(k);
                after[0].iter_mut().zip(&before[j]).for_each(|(x, y)| *x -= factor * y);
            }
            squares[k] = dot(&orthogonal[k], &orthogonal[k]);
            let swap = k > 0 && {
                let factor = dot(&images[k], &orthogonal[k - 1]) / squares[k - 1];
                squares[k] < (0.75 - factor * factor) * squares[k - 1]
            };
            if swap {
                images.swap(k, k - 1);
                self.vectors.swap(k, k - 1);
                self.forms.swap(k, k - 1);
                k -= 1;
            } else {
                k += 1;
            }
        }
    }

    /// Subtracts a multiple of vector `j` from vector `k`.
    fn subtract(&mut self, k: usize, j: usize, factor: &Int) {
        let (before, after) = self.vectors.split_at_mut(k);
        after[0].iter_mut().zip(&before[j]).for_each(|(x, y)| *x -= &(factor * y));
        let (before, after) = self.forms.split_at_mut(k);
        before[j].iter_mut().zip(&after[0]).for_each(|(x, y)| *x += &(factor * y));
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_base::Rng;

    /// Forms and vectors stay dual, and the vectors get short: a random basis of the plain lattice is found
    /// to be one of unit vectors.
    #[test]
    fn finds_unit_vectors() {
        let mut rng = Rng::new(5);
        for count in 2..7 {
            for _ in 0..40 {
                let unit = |i: usize| (0..count).map(|j| Int::from(i64::from(i == j))).collect::<Vec<_>>();
                let mut basis =
                    Basis { vectors: (0..count).map(unit).collect(), forms: (0..count).map(unit).collect() };
                for _ in 0..12 {
                    let k = 1 + rng.index(count - 1);
                    let j = rng.index(k);
                    basis.subtract(k, j, &Int::from(rng.range(-3..=3)));
                    basis.vectors.swap(k, j);
                    basis.forms.swap(k, j);
                }
                basis.reduce(|vector| vector.iter().map(Int::to_f64).collect());
                for (i, vector) in basis.vectors.iter().enumerate() {
                    for (j, form) in basis.forms.iter().enumerate() {
                        let mut value = Int::ZERO;
                        vector.iter().zip(form).for_each(|(x, c)| value.add_mul(x, c));
                        assert_eq!(value, Int::from(i64::from(i == j)));
                    }
                    assert_eq!(vector.iter().filter(|x| !x.is_zero()).count(), 1, "{basis:?}");
                }
            }
        }
    }
}
