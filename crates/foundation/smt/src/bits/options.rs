//! Settings of bit-vectors.

/// Settings of bit-vectors.
#[derive(Clone, Debug)]
pub struct BitOptions {
    /// How many gates the circuits may have; beyond, the answer is unknown. A gate takes about half a kilobyte.
    pub gates: usize,
    /// The width from which on products and quotients are abstract until their values matter; without, none is.
    /// For interpolants of a refutation with some of them, it is looked for once more, with circuits.
    pub abstract_from: Option<u32>,
}

impl Default for BitOptions {
    fn default() -> Self {
        BitOptions { gates: 1 << 22, abstract_from: None }
    }
}
