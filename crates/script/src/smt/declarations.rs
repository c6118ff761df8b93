//! Declarations and definitions as they are written, for proofs that begin with the text.

/// The declarations in force.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    texts: Vec<Box<str>>,
    /// How many there were at each `push`.
    levels: Vec<usize>,
}

impl Declarations {
    pub(super) fn add(&mut self, command: &str) {
        self.texts.push(command.into());
    }

    pub(super) fn push(&mut self) {
        self.levels.push(self.texts.len());
    }

    /// Forgets what was declared since the last `push`, unless declarations are global.
    pub(super) fn pop(&mut self, global: bool) {
        let kept = self.levels.pop().unwrap_or(0);
        if !global {
            self.texts.truncate(kept);
        }
    }

    /// Forgets the levels, and the declarations, too, if that is wanted.
    pub(super) fn clear(&mut self, all: bool) {
        self.levels.clear();
        if all {
            self.texts.clear();
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }
}
