//! Projection of arrays, datatypes and functions: case by case, and random formulas in random models.

mod cases;
mod generator;
mod judge;
mod random;
mod scene;
