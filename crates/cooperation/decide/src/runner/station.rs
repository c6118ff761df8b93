//! Where other processes that have joined meet the workers of this one.

use std::sync::Arc;

use shem_exchange::{Note, Seat, Station, decode, encode};

use crate::report::LONGEST_NOTE;

/// A seat among the workers, whose messages are lines.
pub(super) struct LineStation(Seat<Arc<str>>);

impl LineStation {
    /// The station with this seat, which is open from now on.
    pub(super) fn new(seat: Seat<Arc<str>>) -> LineStation {
        seat.open();
        LineStation(seat)
    }
}

impl Station for LineStation {
    fn take(&mut self, most: usize) -> Vec<Arc<Note>> {
        let lines = self.0.receive(most);
        lines.iter().filter_map(|line| decode(line.as_bytes()).ok()).map(Arc::new).collect()
    }

    fn put(&mut self, note: Note) {
        if let Some(line) = encode(&note).filter(|line| line.len() <= LONGEST_NOTE) {
            self.0.send_line(line);
        }
    }
}
