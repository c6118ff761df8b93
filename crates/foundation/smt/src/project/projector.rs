//! Model-based projection.
//!
//! Komuravelli, Gurfinkel and Chaki (2014): given a model of a formula, a cube without the unwanted
//! variables that is true in the model and implies that the formula has a solution in them. An implicant of
//! the formula is loaded as rows; on the way, conditionals are replaced by the branch of the model, and
//! quotients and integer parts by auxiliary integers with their defining bounds, which are eliminated like
//! the rest. Reals are eliminated first. A row that is left with both integers to eliminate and reals is rounded:
//! `3 n <= u` is `n <= (to_int (/ u 3))`, so that integers are eliminated from integral rows only and every
//! linear formula is projected exactly. Where a variable to eliminate occurs in an array, a datatype or a function,
//! the literals are rewritten first (see `rewrite`).
//!
//! Nothing but the results is built as terms. The cost is that of the implicant plus, for each variable, one
//! pass over the rows.

use shem_base::{Int, Rat, StampMap};
use shem_term::{Sort, Store, Term};

use super::cube::simplify_cube;
use super::fresh::FreshVariables;
use super::functions::may_have_element;
use super::implicant::{Granularity, ImplicantBuilder};
use super::rows::{Relation, RowSystem, unit};
use super::unsupported::Unsupported;
use super::valuation::Valuation;
use crate::Model;

/// Projects formulas in models; it holds the buffers, so use one for many projections. All calls are with
/// terms of one store.
///
/// ```
/// use shem_base::{Budget, Rat};
/// use shem_smt::{Solver, project::Projector};
/// use shem_term::{Sort, Store, Value};
///
/// let mut store = Store::new();
/// let [x, y, z] = ["x", "y", "z"].map(|name| store.variable(name, Sort::Real));
/// // y < x and x < z, with x projected away, is y < z.
/// let low = store.lt(y, x);
/// let high = store.lt(x, z);
/// let formula = store.and2(low, high);
/// let mut solver = Solver::new(Default::default());
/// solver.assert(&mut store, formula);
/// let model = solver.check(&mut store, &mut Budget::unlimited()).into_model().unwrap();
/// let cube = Projector::new().project(&mut store, &[formula], &model, &[x]).unwrap();
/// let expected = store.lt(y, z);
/// assert_eq!(cube, [expected]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Projector {
    pub(super) valuation: Valuation,
    pub(super) builder: ImplicantBuilder,
    pub(super) system: RowSystem,
    /// The columns of leaves, by index of term.
    pub(super) columns: StampMap<u32>,
    pub(super) sum: Vec<(u32, Rat)>,
    pub(super) constant: Rat,
    pub(super) expansion: Vec<(Term, Rat)>,
    /// Auxiliaries whose defining rows are still to be loaded.
    pub(super) definitions: Vec<(u32, Term)>,
    pub(super) fresh: FreshVariables,
    occurrences: Vec<Occurrence>,
    terms: Vec<(Rat, Term)>,
}

/// The result of a projection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// Formulas without the variables, true in the model, that together imply that the projected formula has
    /// a solution in the variables.
    pub cube: Vec<Term>,
    /// Whether nothing depended on the model, so that the implication is an equivalence.
    pub exact: bool,
}

/// How a column to eliminate occurs in the rows.
#[derive(Clone, Debug, Default)]
struct Occurrence {
    zeros: usize,
    unit_zeros: usize,
    lowers: usize,
    unit_lowers: usize,
    uppers: usize,
    unit_uppers: usize,
    divisors: usize,
    modulus_bits: usize,
}

/// The store and the model of one projection.
pub(super) struct ProjectionContext<'a> {
    pub(super) store: &'a mut Store,
    pub(super) model: &'a Model,
}

/// An implicant of the formula in the model; see [`Projector::implicant`].
pub fn implicant(
    store: &mut Store,
    formula: Term,
    model: &Model,
    eliminate: &[Term],
) -> Result<Vec<Term>, Unsupported> {
    Projector::new().implicant(store, &[formula], model, eliminate)
}

/// The projection of the formula in the model; see [`Projector::project`].
pub fn project(
    store: &mut Store,
    formula: Term,
    model: &Model,
    eliminate: &[Term],
) -> Result<Vec<Term>, Unsupported> {
    Projector::new().project(store, &[formula], model, eliminate)
}

impl Projector {
    /// A projector with empty buffers.
    pub fn new() -> Projector {
        Projector::default()
    }

    /// Formulas that are true in the model and together imply the conjunction of the given ones: literals
    /// where a variable to eliminate occurs, and whole subformulas where none does. Variables without a
    /// value in the model count as zero or false.
    pub fn implicant(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        model: &Model,
        eliminate: &[Term],
    ) -> Result<Vec<Term>, Unsupported> {
        self.take_apart(store, formulas, model, eliminate, Granularity::Mentioning)?;
        let mut implicant = self.builder.whole.clone();
        implicant.extend_from_slice(&self.builder.literals);
        Ok(implicant)
    }

    /// Literals that are true in the model and together imply the conjunction of the formulas. They are free of
    /// conditionals, but for those inside of Boolean arguments: the branches that the model takes are in their
    /// place, and their conditions among the literals. Each condition is looked at once, however many sums it decides.
    pub fn literals(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        model: &Model,
    ) -> Result<Vec<Term>, Unsupported> {
        self.take_apart(store, formulas, model, &[], Granularity::Everywhere)?;
        let mut cube = Vec::with_capacity(self.builder.literals.len());
        while let Some(&literal) = self.builder.literals.get(cube.len()) {
            let literal = self.take_branches(store, literal)?;
            cube.push(if self.valuation.has_applications() {
                self.take_inner_branches(store, model, literal)?
            } else {
                literal
            });
            self.builder.run(store, &self.valuation, Granularity::Everywhere)?;
        }
        simplify_cube(store, &mut cube);
        Ok(cube)
    }

    /// Formulas without the variables to eliminate that are true in the model and together imply that the
    /// conjunction of the given ones is true for some values of those variables. For given formulas and
    /// variables only finitely many results exist, if the variables occur in linear arithmetic only.
    pub fn project(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        model: &Model,
        eliminate: &[Term],
    ) -> Result<Vec<Term>, Unsupported> {
        Ok(self.projection(store, formulas, model, eliminate)?.cube)
    }

    /// The same, together with whether it is exact.
    pub fn projection(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        model: &Model,
        eliminate: &[Term],
    ) -> Result<Projection, Unsupported> {
        self.system.clear();
        self.take_apart(store, formulas, model, eliminate, Granularity::Mentioning)?;
        self.columns.clear();
        let mut context = ProjectionContext { store, model };
        if self.valuation.is_beyond_arithmetic() {
            self.rewrite(&mut context, formulas)?;
        }
        let mut next = 0;
        loop {
            self.builder.run(context.store, &self.valuation, Granularity::Mentioning)?;
            if let Some(&literal) = self.builder.literals.get(next) {
                next += 1;
                self.load(&mut context, literal)?;
            } else if let Some((column, leaf)) = self.definitions.pop() {
                self.load_definition(&mut context, column, leaf)?;
            } else {
                break;
            }
        }
        while let Some(column) = self.next_column(false) {
            self.system.eliminate_real(column);
        }
        self.round_mixed_rows(&mut context)?;
        while let Some(column) = self.next_column(true) {
            self.system.eliminate_integer(column);
        }
        let mut cube = std::mem::take(&mut self.builder.whole);
        self.write_rows(context.store, &mut cube);
        simplify_cube(context.store, &mut cube);
        Ok(Projection { cube, exact: self.system.exact && self.builder.exact })
    }

    /// The projection of the formulas onto these variables: all others are eliminated.
    pub fn project_onto(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        model: &Model,
        keep: &[Term],
    ) -> Result<Vec<Term>, Unsupported> {
        let mut eliminate = store.free_variables(formulas);
        eliminate.retain(|v| !keep.contains(v));
        self.project(store, formulas, model, &eliminate)
    }

    /// The projection of the formulas onto these variables, or, where that takes too many steps, the cube of their
    /// values in the model: the smallest set of states that projection may give.
    pub fn project_onto_or_fix(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        model: &Model,
        keep: &[Term],
    ) -> Result<Vec<Term>, Unsupported> {
        let reason = match self.project_onto(store, formulas, model, keep) {
            Err(reason @ (Unsupported::TooManySteps | Unsupported::DeclaredSort)) => reason,
            found => return found,
        };
        let mut cube = Vec::with_capacity(keep.len());
        for &variable in keep {
            let symbol = store.as_var(variable).expect("a variable");
            let value = model.value_or_default(store, symbol);
            if may_have_element(&value) {
                return Err(reason);
            }
            cube.push(store.value_literal(variable, &value));
        }
        simplify_cube(store, &mut cube);
        Ok(cube)
    }

    /// Whether a variable to eliminate of the last projection occurred beyond arithmetic.
    pub(super) fn was_beyond_arithmetic(&self) -> bool {
        self.valuation.is_beyond_arithmetic()
    }

    fn take_apart(
        &mut self,
        store: &mut Store,
        formulas: &[Term],
        model: &Model,
        eliminate: &[Term],
        granularity: Granularity,
    ) -> Result<(), Unsupported> {
        self.valuation.begin(eliminate);
        self.builder.begin();
        for &formula in formulas {
            self.valuation.evaluate(store, model, formula);
            self.builder.require(formula);
        }
        self.definitions.clear();
        self.builder.run(store, &self.valuation, granularity)
    }

    /// The column to eliminate next, among the integer or the real ones: those without a choice first.
    fn next_column(&mut self, integral: bool) -> Option<u32> {
        self.occurrences.clear();
        self.occurrences.resize(self.system.columns.len(), Occurrence::default());
        for row in &self.system.rows {
            for (column, c) in &row.terms {
                let found = &mut self.occurrences[*column as usize];
                let one = usize::from(unit(c));
                match row.relation {
                    Relation::Zero => {
                        found.zeros += 1;
                        found.unit_zeros += one;
                    }
                    Relation::Divisible => {
                        found.divisors += 1;
                        found.modulus_bits += row.modulus.bits() as usize;
                    }
                    _ if c.is_negative() => {
                        found.lowers += 1;
                        found.unit_lowers += one;
                    }
                    _ => {
                        found.uppers += 1;
                        found.unit_uppers += one;
                    }
                }
            }
        }
        let columns = self.system.columns.iter().zip(&self.occurrences).enumerate();
        columns
            .filter(|(_, (column, _))| column.eliminated && column.integral == integral)
            .filter_map(|(i, (_, found))| Some((found.rank(integral)?, i as u32)))
            .min()
            .map(|(_, column)| column)
    }

    /// Rounds the rows in which an integer to eliminate meets reals. The reals to eliminate have been eliminated.
    fn round_mixed_rows(&mut self, context: &mut ProjectionContext<'_>) -> Result<(), Unsupported> {
        let columns = &self.system.columns;
        let column = |x: u32| &columns[x as usize];
        let is_mixed = |terms: &[(u32, Int)]| {
            terms.iter().any(|t| column(t.0).eliminated) && terms.iter().any(|t| !column(t.0).integral)
        };
        let mut mixed = Vec::new();
        let mut i = 0;
        while i < self.system.rows.len() {
            if is_mixed(&self.system.rows[i].terms) {
                mixed.push(self.system.rows.remove(i));
            } else {
                i += 1;
            }
        }
        for row in mixed {
            // g p + r ~ 0, with p integral, becomes p ~ z where z = -r / g.
            let mut divisor = Int::ZERO;
            for (_, c) in row.terms.iter().filter(|t| self.system.columns[t.0 as usize].integral) {
                divisor = divisor.gcd(c);
            }
            self.terms.clear();
            for (x, c) in &row.terms {
                let column = &self.system.columns[*x as usize];
                if !column.integral {
                    let leaf = column.leaf.expect("auxiliaries are integers");
                    self.terms.push((-Rat::from(c).div_int(&divisor), leaf));
                }
            }
            let constant = -Rat::from(&row.constant).div_int(&divisor);
            let z = context.store.linear(&self.terms, &constant, Sort::Real);
            // p <= floor(z); p < z is p <= -floor(-z) - 1.
            let (bound, scale, constant) = if row.relation == Relation::Below {
                (context.store.neg(z), Rat::ONE, Rat::ONE)
            } else {
                (z, Rat::MINUS_ONE, Rat::ZERO)
            };
            let floor = context.store.to_int(bound);
            self.valuation.evaluate(context.store, context.model, floor);
            self.begin_sum(constant);
            for (x, c) in &row.terms {
                if self.system.columns[*x as usize].integral {
                    self.sum.push((*x, Rat::from(c.div_exact(&divisor))));
                }
            }
            self.expansion.push((floor, scale));
            self.expand(context)?;
            if row.relation == Relation::Zero {
                let z = if self.terms[0].0.is_negative() { context.store.neg(z) } else { z };
                let integral = context.store.is_int(z);
                self.builder.whole.push(integral);
                self.finish_row(Relation::Zero, Int::ONE);
            } else {
                self.finish_row(Relation::AtMost, Int::ONE);
            }
        }
        Ok(())
    }

    /// Writes the rows as terms.
    fn write_rows(&mut self, store: &mut Store, cube: &mut Vec<Term>) {
        for row in &self.system.rows {
            self.terms.clear();
            let mut sort = Sort::Int;
            for (x, c) in &row.terms {
                let column = &self.system.columns[*x as usize];
                debug_assert!(!column.eliminated);
                if !column.integral {
                    sort = Sort::Real;
                }
                self.terms.push((Rat::from(c), column.leaf.expect("auxiliaries are eliminated")));
            }
            let sum = store.linear(&self.terms, &Rat::from(&row.constant), sort);
            let zero = store.numeral(&Rat::ZERO, sort);
            cube.push(match row.relation {
                Relation::Zero => store.eq(sum, zero),
                Relation::AtMost => store.le(sum, zero),
                Relation::Below => store.lt(sum, zero),
                Relation::Divisible => store.divisible(&row.modulus, sum),
            });
        }
    }
}

impl Occurrence {
    /// The order of elimination: lower is earlier; `None` if the column does not occur. Columns that drop out
    /// with their rows come first, then those that an equality defines, then exact eliminations, then those
    /// with a choice of bounds, divisibilities with large moduli last.
    fn rank(&self, integral: bool) -> Option<(usize, usize)> {
        let bounded = self.lowers > 0 && self.uppers > 0;
        let pairs = self.lowers * self.uppers;
        if self.zeros + self.lowers + self.uppers + self.divisors == 0 {
            return None;
        }
        let exact = !integral || self.unit_lowers == self.lowers || self.unit_uppers == self.uppers;
        Some(if self.zeros == 0 && self.divisors <= 1 && !bounded {
            (0, 0)
        } else if self.unit_zeros > 0 || (!integral && self.zeros > 0) {
            (1, pairs)
        } else if self.zeros == 0 && self.divisors == 0 && exact {
            (2, pairs)
        } else if self.zeros > 0 {
            (3, pairs)
        } else {
            (4, pairs + 16 * self.modulus_bits)
        })
    }
}
