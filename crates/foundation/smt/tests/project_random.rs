//! Projection on random formulas, judged by evaluation, by enumeration and by fresh solvers.

mod cubes;
mod elimination;
mod generalisation;
mod judge;
mod projection;
