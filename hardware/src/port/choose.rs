//! Chooses the port of a serial link from the list of all ports. The choice depends only on its arguments.

use std::sync::Arc;

use super::Wanted;
use crate::discover::Found;

#[cfg(test)]
mod tests;

/// A serial port, and the facts on which the choice depends.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) found: Arc<Found>,
    /// Another link of this process has claimed it.
    pub(crate) taken: bool,
    /// Another link is configured for it, or its board reported the serial number that another link searches for.
    pub(crate) reserved: bool,
    /// Its board has reported a serial number, and this tells whether it is the wanted one.
    pub(crate) wanted_board: Option<bool>,
    /// It was asked a short time ago and did not answer.
    pub(crate) paused: bool,
}

/// The next action. Numbers are indices of the candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Open this port.
    Open(usize),
    /// Ask these ports for their identity, in this order.
    Ask(Vec<usize>),
    /// Several ports are possible, and nothing distinguishes them.
    Several(Vec<usize>),
    /// The configured port exists, but another link of this process has claimed it.
    Taken(usize),
    /// No port fits.
    Nothing,
}

/// Returns the choice for `wanted`. `serial` is the board's serial number, if it is configured or learnt. `configured` is the
/// index of the configured port, if it exists.
pub(crate) fn choose(wanted: &Wanted, serial: Option<&str>, configured: Option<usize>, seen: &[Candidate]) -> Choice {
    match configured {
        Some(index) if !seen[index].taken => Choice::Open(index),
        Some(index) => match among_all(wanted, serial, seen) {
            Choice::Nothing => Choice::Taken(index),
            choice => choice,
        },
        None => among_all(wanted, serial, seen),
    }
}

/// Returns the choice without the configured path.
fn among_all(wanted: &Wanted, serial: Option<&str>, seen: &[Candidate]) -> Choice {
    let all = || (0..seen.len()).filter(|index| !seen[*index].taken);
    if let Some(usb_serial) = &wanted.usb_serial {
        let same: Vec<usize> = all().filter(|index| has_usb_serial(&seen[*index].found, usb_serial)).collect();
        match (same.as_slice(), serial) {
            ([], _) => {}
            // Adapters with several ports have one serial number for all ports.
            ([_, _, ..], Some(_)) => return ask(seen, &same),
            ([first, ..], _) => return Choice::Open(*first),
        }
    }
    let possible: Vec<usize> = all().filter(|index| !seen[*index].reserved && may_be(wanted, &seen[*index].found)).collect();
    let nothing_configured = wanted.port.is_none() && wanted.usb_serial.is_none() && wanted.serial.is_none();
    match (serial, possible.as_slice()) {
        (None, [only]) if nothing_configured => Choice::Open(*only),
        (None, [_, _, ..]) if nothing_configured => Choice::Several(possible),
        (None, _) => Choice::Nothing,
        // Any board is right, because another one may have been plugged in instead.
        (Some(_), [only]) if nothing_configured => Choice::Open(*only),
        (Some(_), _) => ask(seen, &possible),
    }
}

/// Opens a port that answered with the wanted serial number. Otherwise the ports without an answer are asked first, and the
/// ports with another board last: only the adapter may be the same.
fn ask(seen: &[Candidate], possible: &[usize]) -> Choice {
    if let Some(index) = possible.iter().find(|index| seen[**index].wanted_board == Some(true)) {
        return Choice::Open(*index);
    }
    let mut asked: Vec<usize> = possible.iter().copied().filter(|index| !seen[*index].paused).collect();
    asked.sort_by_key(|index| seen[*index].wanted_board.is_some());
    if asked.is_empty() { Choice::Nothing } else { Choice::Ask(asked) }
}

fn has_usb_serial(found: &Found, wanted: &str) -> bool {
    let serial = found.usb.as_ref().and_then(|usb| usb.serial.as_deref());
    serial.is_some_and(|serial| serial.trim().eq_ignore_ascii_case(wanted.trim()))
}

/// Whether the port may ever be the wanted one, as far as it is known without asking.
pub(crate) fn fits(wanted: &Wanted, found: &Found) -> bool {
    may_be(wanted, found) || wanted.usb_serial.as_ref().is_some_and(|serial| has_usb_serial(found, serial))
}

/// Whether the port has the family's USB ids or comes from a folder of ports.
fn may_be(wanted: &Wanted, found: &Found) -> bool {
    let known = found.usb.as_ref().is_some_and(|usb| wanted.driver.usb.contains(&(usb.vendor, usb.product)));
    known || found.stable.is_some()
}
