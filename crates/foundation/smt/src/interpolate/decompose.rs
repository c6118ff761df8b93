//! Decomposition of Farkas coefficients.
//!
//! The Farkas interpolant is one inequality: the sum of the A part, whose weights cancel A's own variables.
//! If the weights are a sum of several non-negative vectors that each cancel them, the conjunction of the
//! several sums is an interpolant, too, and a stronger one (Blicha, Hyvärinen, Kofroň and Sharygina,
//! "Decomposing Farkas interpolants", 2019). Such vectors are found in the kernel of the matrix of A's own
//! variables: its basis by free columns gives the weights positive coordinates, and a basis vector with
//! negative entries is made non-negative by adding a multiple of all weights. Members without own variables are
//! separated first. The cost is that of one Gaussian elimination, quadratic in the members times the own
//! variables.
//!
//! Where the paper corrects one negative entry at a time, we correct the most negative one of a vector, which
//! corrects the others with it.

use shem_base::Rat;

/// Writes the positive vector `weights`, which is in the kernel of `matrix` (rows of coefficients, one column
/// a weight), as a sum of non-negative vectors in the kernel.
pub(super) fn decompose(matrix: &[Vec<Rat>], weights: &[Rat]) -> Vec<Vec<Rat>> {
    let width = weights.len();
    let mut parts = Vec::new();
    let mut columns: Vec<usize> = Vec::new();
    for column in 0..width {
        if matrix.iter().all(|row| row[column].is_zero()) {
            let mut part = vec![Rat::ZERO; width];
            part[column] = weights[column].clone();
            parts.push(part);
        } else {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return parts;
    }
    let mut rows: Vec<Vec<Rat>> =
        matrix.iter().map(|row| columns.iter().map(|&column| row[column].clone()).collect()).collect();
    let inner: Vec<Rat> = columns.iter().map(|&column| weights[column].clone()).collect();
    for part in decompose_in_kernel(&mut rows, &inner) {
        let mut whole = vec![Rat::ZERO; width];
        for (&column, entry) in columns.iter().zip(part) {
            whole[column] = entry;
        }
        parts.push(whole);
    }
    parts
}

/// The same for a matrix without zero columns, which is destroyed.
fn decompose_in_kernel(matrix: &mut Vec<Vec<Rat>>, weights: &[Rat]) -> Vec<Vec<Rat>> {
    let width = weights.len();
    let pivots = reduce(matrix, width);
    let free: Vec<usize> = (0..width).filter(|column| !pivots.contains(column)).collect();
    if free.len() <= 1 {
        return vec![weights.to_vec()];
    }
    let mut basis: Vec<Vec<Rat>> = Vec::with_capacity(free.len());
    let mut coordinates: Vec<Rat> = Vec::with_capacity(free.len());
    for &column in &free {
        let mut vector = vec![Rat::ZERO; width];
        vector[column] = Rat::ONE;
        for (row, &pivot) in matrix.iter().zip(&pivots) {
            vector[pivot] = -&row[column];
        }
        basis.push(vector);
        coordinates.push(weights[column].clone());
    }
    for i in 0..basis.len() {
        let mut worst = Rat::ZERO;
        for (entry, weight) in basis[i].iter().zip(weights) {
            if entry.is_negative() {
                let lack = &-entry / weight;
                if lack > worst {
                    worst = lack;
                }
            }
        }
        if worst.is_zero() {
            continue;
        }
        // The weights become `1 + worst * coordinate` times as much, which the coordinates compensate.
        let scale = &Rat::ONE + &(&worst * &coordinates[i]);
        for (entry, weight) in basis[i].iter_mut().zip(weights) {
            entry.add_mul(&worst, weight);
        }
        for coordinate in &mut coordinates {
            *coordinate = &*coordinate / &scale;
        }
    }
    for (vector, coordinate) in basis.iter_mut().zip(&coordinates) {
        for entry in vector.iter_mut() {
            *entry = &*entry * coordinate;
        }
    }
    basis
}

/// Brings the matrix to reduced row echelon form without zero rows; returns the pivot column of each row.
fn reduce(matrix: &mut Vec<Vec<Rat>>, width: usize) -> Vec<usize> {
    let mut pivots = Vec::new();
    for column in 0..width {
        let rank = pivots.len();
        let Some(found) = (rank..matrix.len()).find(|&row| !matrix[row][column].is_zero()) else { continue };
        matrix.swap(rank, found);
        let mut pivot_row = std::mem::take(&mut matrix[rank]);
        let lead = pivot_row[column].clone();
        for entry in &mut pivot_row {
            if !entry.is_zero() {
                *entry = &*entry / &lead;
            }
        }
        for row in matrix.iter_mut().filter(|row| !row.is_empty()) {
            let factor = row[column].clone();
            if !factor.is_zero() {
                for (entry, pivot_entry) in row.iter_mut().zip(&pivot_row) {
                    entry.sub_mul(&factor, pivot_entry);
                }
            }
        }
        matrix[rank] = pivot_row;
        pivots.push(column);
    }
    matrix.truncate(pivots.len());
    pivots
}

#[cfg(test)]
mod tests {
    use super::*;
    use shem_base::{Int, Rng};

    fn row(entries: &[i64]) -> Vec<Rat> {
        entries.iter().map(|&entry| Rat::from(entry)).collect()
    }

    fn halves(entries: &[i64]) -> Vec<Rat> {
        entries.iter().map(|&entry| Rat::new(Int::from(entry), Int::from(2))).collect()
    }

    /// The thesis's examples: 3.3, 3.11 and the two orders of 3.12.
    #[test]
    fn examples() {
        let parts = decompose(&[row(&[1, 1, -1])], &row(&[1, 1, 2]));
        assert_eq!(parts.len(), 2);
        assert!(parts.contains(&row(&[1, 0, 1])) && parts.contains(&row(&[0, 1, 1])));
        let ones = row(&[1, 1, 1, 1]);
        let parts = decompose(&[row(&[1, -1, 1, -1])], &ones);
        assert_eq!(parts, [halves(&[1, 1, 0, 0]), halves(&[0, 1, 2, 1]), halves(&[1, 0, 0, 1])]);
        let parts = decompose(&[row(&[-1, 1, 1, -1])], &ones);
        assert_eq!(parts, [halves(&[1, 1, 0, 0]), halves(&[1, 0, 1, 0]), halves(&[0, 1, 1, 2])]);
    }

    /// Parts are not negative, in the kernel, and add up.
    #[test]
    fn random_decompositions() {
        let mut rng = Rng::new(5);
        for _ in 0..2000 {
            let width = 1 + rng.index(7);
            let height = rng.index(4);
            let weights: Vec<Rat> = (0..width).map(|_| Rat::from(rng.range(1..=4))).collect();
            let matrix: Vec<Vec<Rat>> = (0..height)
                .map(|_| {
                    // The last entry brings the weights into the kernel.
                    let mut row: Vec<Rat> = (0..width).map(|_| Rat::from(rng.range(-2..=2))).collect();
                    row[width - 1] = Rat::ZERO;
                    let rest: Rat =
                        row.iter().zip(&weights).map(|(a, b)| a * b).fold(Rat::ZERO, |a, b| a + b);
                    row[width - 1] = -(&rest / &weights[width - 1]);
                    row
                })
                .collect();
            let parts = decompose(&matrix, &weights);
            let mut total = vec![Rat::ZERO; width];
            for part in &parts {
                assert!(part.iter().all(|entry| !entry.is_negative()));
                for row in &matrix {
                    let product = row.iter().zip(part).fold(Rat::ZERO, |sum, (a, b)| sum + a * b);
                    assert!(product.is_zero());
                }
                for (sum, entry) in total.iter_mut().zip(part) {
                    *sum += entry;
                }
            }
            assert_eq!(total, weights);
        }
    }
}
