//! Stores which boards have said who they are, so that a board that is asked once is known at its port.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::discover::{Found, Node, UsbId};

/// The largest number of answers in the list. The oldest one is removed first.
const MAX_ANSWERED: usize = 256;

/// A board that has answered.
#[derive(Debug)]
struct AnsweredBoard {
    path: PathBuf,
    node: Option<Node>,
    usb: Option<UsbId>,
    serial: String,
}

impl AnsweredBoard {
    /// Whether it is still the same device: it was not plugged in again since, or its USB device has the same USB serial
    /// number.
    fn is_at(&self, found: &Found) -> bool {
        let same_usb = self.usb.as_ref().is_some_and(|usb| usb.serial.is_some()) && self.usb == found.usb;
        same_usb || (self.path == found.path && self.node.is_some() && self.node == found.node)
    }
}

/// The boards that have answered.
#[derive(Debug, Default)]
pub(crate) struct Answered {
    boards: VecDeque<AnsweredBoard>,
}

impl Answered {
    /// Returns the serial numbers that the board at `found` has reported.
    pub(crate) fn serials_at(&self, found: &Found) -> impl Iterator<Item = &str> {
        self.boards.iter().filter(|answer| answer.is_at(found)).map(|answer| answer.serial.as_str())
    }

    /// Records the serial number that the board at `found` reported. A board may report two numbers, a short one and a long
    /// one.
    pub(crate) fn record(&mut self, found: &Found, serial: &str) {
        self.boards.retain(|answer| !(answer.serial == serial || (answer.path == found.path && !answer.is_at(found))));
        let here: Vec<usize> = (0..self.boards.len()).filter(|index| self.boards[*index].is_at(found)).collect();
        if let [oldest, _, ..] = here[..] {
            self.boards.remove(oldest);
        }
        if self.boards.len() == MAX_ANSWERED {
            self.boards.pop_front();
        }
        let Found { path, node, usb, .. } = found.clone();
        self.boards.push_back(AnsweredBoard { path, node, usb, serial: serial.to_owned() });
    }
}
