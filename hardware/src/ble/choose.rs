//! Chooses the device that a link wants among the Bluetooth LE devices that the system knows.

use super::{Address, LinkProblem, Nearby, Wanted};

/// Splits a text that names a device into its address or its name.
pub fn device(text: &str) -> (Option<Address>, Option<String>) {
    // btleplug cuts a text of twelve bytes into pairs, which would cut through characters that are not ASCII.
    match text.is_ascii().then(|| text.parse()) {
        Some(Ok(address)) => (Some(address), None),
        _ => (None, Some(text.to_owned())),
    }
}

impl Nearby {
    /// Returns whether the device is within reach. The system also remembers devices that were in reach earlier.
    pub(super) fn is_near(&self) -> bool {
        self.signal.is_some() || self.connected
    }
}

/// Returns the device to connect to. `taken` are the devices on which other links have a stronger claim.
pub(super) fn choose<'a>(wanted: &Wanted, seen: &'a [Nearby], taken: &[Address]) -> Result<&'a Nearby, LinkProblem> {
    let free = || seen.iter().filter(|seen| !taken.contains(&seen.address));
    if let Some(address) = wanted.address {
        let taken = if taken.contains(&address) { LinkProblem::Taken(address) } else { LinkProblem::NotFound };
        return free().find(|seen| seen.address == address).ok_or(taken);
    }
    let fits = |seen: &&Nearby| match (&wanted.name, seen.name.as_deref()) {
        (_, None) => false,
        (Some(wanted), Some(name)) => name.eq_ignore_ascii_case(wanted),
        (None, Some(name)) => {
            let ends = wanted.serial.as_deref().is_none_or(|serial| name.ends_with(serial));
            ends && wanted.family.iter().any(|start| begins(name, start))
        }
    };
    let fitting: Vec<&Nearby> = free().filter(|seen| seen.is_near()).filter(fits).collect();
    match fitting[..] {
        // If the whole name is wanted, it is this device.
        [] => match seen.iter().find(|seen| wanted.name.is_some() && taken.contains(&seen.address) && fits(seen)) {
            Some(other) => Err(LinkProblem::Taken(other.address)),
            None => Err(LinkProblem::NotFound),
        },
        [one] => Ok(one),
        _ => {
            let name = |seen: &&Nearby| (seen.name.clone().unwrap_or_default(), seen.address);
            let mut several: Vec<_> = fitting.iter().map(name).collect();
            several.sort();
            Err(LinkProblem::Several(several))
        }
    }
}

fn begins(name: &str, start: &str) -> bool {
    name.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(last: u8, name: &str) -> Nearby {
        let name = (!name.is_empty()).then(|| name.to_owned());
        Nearby { address: Address::from([0, 0, 0, 0, 0, last]), name, signal: Some(-60), connected: false }
    }

    #[test]
    fn a_text_is_an_address_or_a_name_in_any_script() {
        let address = Some(Address::from([0xc0, 0xff, 0xee, 0, 0x10, 0x25]));
        for text in ["C0:FF:EE:00:10:25", "c0:ff:ee:00:10:25", "c0ffee001025"] {
            assert_eq!(device(text), (address, None), "{text}");
        }
        for text in ["Küche Brett", "棋棋棋棋", "aéééééa", "DGT_PEGASUS_", "C0:FF:EE:00:10", "é0:FF:EE:00:10:25", ""] {
            assert_eq!(device(text), (None, Some(text.to_owned())), "{text}");
        }
    }

    #[test]
    fn a_remembered_device_is_found_only_by_its_address() {
        let far = |seen| Nearby { signal: None, ..seen };
        let all = [
            far(seen(1, "DGT_PEGASUS_1")),
            far(seen(2, "DGT_PEGASUS_2")),
            Nearby { connected: true, ..far(seen(3, "Chessnut Air")) },
        ];
        let by_family = |start| Wanted { address: None, name: None, serial: None, family: start, channels: None, unlock: None };
        assert_eq!(choose(&by_family(&["DGT_PEGASUS_"]), &all, &[]), Err(LinkProblem::NotFound));
        let received = [all[0].clone(), seen(2, "DGT_PEGASUS_2")];
        assert_eq!(choose(&by_family(&["DGT_PEGASUS_"]), &received, &[]), Ok(&received[1]));
        assert_eq!(choose(&by_family(&["Chessnut"]), &all, &[]), Ok(&all[2]));
        let by_address = Wanted { address: Some(all[0].address), ..by_family(&[]) };
        assert_eq!(choose(&by_address, &all, &[]), Ok(&all[0]));
    }

    #[test]
    fn a_device_is_chosen_by_address_then_name_then_family() {
        let all = [seen(1, "DGT_PEGASUS_1"), seen(2, "dgt_pegasus_2"), seen(3, "Chessnut Air"), seen(4, ""), seen(5, "Ünder")];
        let address = |last| Some(Address::from([0, 0, 0, 0, 0, last]));
        let wanted = |address, name: Option<&str>, family| Wanted {
            address,
            name: name.map(str::to_owned),
            serial: None,
            family,
            channels: None,
            unlock: None,
        };
        let several = LinkProblem::Several(vec![
            ("DGT_PEGASUS_1".to_owned(), all[0].address),
            ("dgt_pegasus_2".to_owned(), all[1].address),
        ]);
        let with_serial = Wanted { serial: Some("_2".to_owned()), ..wanted(None, None, &["DGT_PEGASUS_"]) };
        let table: [(Wanted, &[Address], Result<usize, LinkProblem>); 11] = [
            (with_serial, &[], Ok(1)),
            (wanted(address(4), Some("DGT_PEGASUS_1"), &[]), &[], Ok(3)),
            (wanted(address(9), Some("DGT_PEGASUS_1"), &["DGT"]), &[], Err(LinkProblem::NotFound)),
            (wanted(None, Some("DGT_PEGASUS_2"), &[]), &[], Ok(1)),
            (wanted(None, Some("dgt_pegasus_2"), &[]), &[all[1].address], Err(LinkProblem::Taken(all[1].address))),
            (wanted(None, Some("DGT_PEGASUS"), &["DGT_PEGASUS"]), &[], Err(LinkProblem::NotFound)),
            (wanted(None, None, &["DGT_PEGASUS_"]), &[], Err(several)),
            (wanted(None, None, &["DGT_PEGASUS_"]), &[all[0].address], Ok(1)),
            (wanted(address(1), None, &[]), &[all[0].address], Err(LinkProblem::Taken(all[0].address))),
            (wanted(None, None, &["Smart Chess", "Chessnut"]), &[], Ok(2)),
            (wanted(None, None, &[]), &[], Err(LinkProblem::NotFound)),
        ];
        for (n, (wanted, taken, which)) in table.iter().enumerate() {
            assert_eq!(choose(wanted, &all, taken), which.clone().map(|index| &all[index]), "{n}");
        }
    }
}
