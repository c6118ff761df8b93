//! shem
