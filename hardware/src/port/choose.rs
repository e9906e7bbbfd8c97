//! Which port is a link's: a decision over a list, without looking at anything.

use super::Wanted;
use crate::discover::Found;

#[cfg(test)]
mod tests;

/// A port and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) found: Found,
    /// One of our other links has it.
    pub(super) taken: bool,
    /// It stands in another link's configuration, or its board told the number that another link looks for.
    pub(super) named: bool,
    /// Its board has told a serial number: it is (or is not) the wanted one.
    pub(super) told: Option<bool>,
    /// It was asked in vain a short time ago.
    pub(super) paused: bool,
}

/// What to do next. Numbers count the candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// Open this one.
    Open(usize),
    /// Ask these who they are, in this order.
    Ask(Vec<usize>),
    /// Nothing says which of these it is.
    Several(Vec<usize>),
    /// The configured port is there, and one of our other links has it.
    Taken(usize),
    /// None.
    Nothing,
}

/// The choice for `wanted`, whose board has the serial number `serial` if that is configured or learnt; `configured` is the
/// port of that path, if it is there.
pub(super) fn choose(wanted: &Wanted, serial: Option<&str>, configured: Option<usize>, seen: &[Candidate]) -> Choice {
    match configured {
        Some(index) if !seen[index].taken => Choice::Open(index),
        Some(index) => match among_all(wanted, serial, seen) {
            Choice::Nothing => Choice::Taken(index),
            choice => choice,
        },
        None => among_all(wanted, serial, seen),
    }
}

/// The choice without the configured path.
fn among_all(wanted: &Wanted, serial: Option<&str>, seen: &[Candidate]) -> Choice {
    let all = || (0..seen.len()).filter(|index| !seen[*index].taken);
    if let Some(usb_serial) = &wanted.usb_serial {
        let same: Vec<usize> = all().filter(|index| has_usb_serial(&seen[*index].found, usb_serial)).collect();
        match (same.as_slice(), serial) {
            ([], _) => {}
            // Adapters with several ports have one serial number for all.
            ([_, _, ..], Some(_)) => return ask(seen, &same),
            ([first, ..], _) => return Choice::Open(*first),
        }
    }
    let possible: Vec<usize> = all().filter(|index| !seen[*index].named && may_be(wanted, &seen[*index].found)).collect();
    let nothing_configured = wanted.port.is_none() && wanted.usb_serial.is_none() && wanted.serial.is_none();
    match (serial, possible.as_slice()) {
        (None, [only]) if nothing_configured => Choice::Open(*only),
        (None, [_, _, ..]) if nothing_configured => Choice::Several(possible),
        (None, _) => Choice::Nothing,
        // Any board is right; another one may have been plugged in instead.
        (Some(_), [only]) if nothing_configured => Choice::Open(*only),
        (Some(_), _) => ask(seen, &possible),
    }
}

/// A port that answered with the wanted number is opened; else those that have not answered are asked first, and last those
/// where another board was: it may be that board's adapter only.
fn ask(seen: &[Candidate], possible: &[usize]) -> Choice {
    if let Some(index) = possible.iter().find(|index| seen[**index].told == Some(true)) {
        return Choice::Open(*index);
    }
    let mut asked: Vec<usize> = possible.iter().copied().filter(|index| !seen[*index].paused).collect();
    asked.sort_by_key(|index| seen[*index].told.is_some());
    if asked.is_empty() { Choice::Nothing } else { Choice::Ask(asked) }
}

fn has_usb_serial(found: &Found, wanted: &str) -> bool {
    let serial = found.usb.as_ref().and_then(|usb| usb.serial.as_deref());
    serial.is_some_and(|serial| serial.trim().eq_ignore_ascii_case(wanted.trim()))
}

/// The family's USB ids, or a place in a folder of ports.
fn may_be(wanted: &Wanted, found: &Found) -> bool {
    let known = found.usb.as_ref().is_some_and(|usb| wanted.driver.usb.contains(&(usb.vendor, usb.product)));
    known || found.stable.is_some()
}
