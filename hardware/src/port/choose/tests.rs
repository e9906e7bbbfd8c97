//! Tests the choice of a serial port.

use std::path::PathBuf;

use flagfall_protocols::drivers;
use proptest::prelude::*;

use super::*;
use crate::discover::UsbId;

const FTDI: (u16, u16) = (0x0403, 0x6001);
const OTHER: (u16, u16) = (0x2341, 0x0043);

fn wanted(port: bool, usb_serial: Option<&str>, serial: Option<&str>) -> Wanted {
    Wanted {
        driver: drivers::find("dgt").expect("registered"),
        port: port.then(|| PathBuf::from("/dev/configured")),
        usb_serial: usb_serial.map(str::to_owned),
        serial: serial.map(str::to_owned),
        folders: Vec::new(),
    }
}

fn usb(ids: (u16, u16), serial: &str) -> Candidate {
    let usb = UsbId { vendor: ids.0, product: ids.1, serial: Some(serial.to_owned()), ..UsbId::default() };
    let found = Found { path: PathBuf::from("/dev/x"), stable: None, usb: Some(usb), node: None }.into();
    Candidate { found, taken: false, reserved: false, wanted_board: None, paused: false }
}

fn listed() -> Candidate {
    let board = usb(OTHER, "");
    let stable = Some(PathBuf::from("/folder/x"));
    Candidate { found: Found { stable, usb: None, ..(*board.found).clone() }.into(), ..board }
}

fn taken(port: Candidate) -> Candidate {
    Candidate { taken: true, ..port }
}

#[test]
fn each_rule_chooses_its_port() {
    let path = wanted(true, None, None);
    let adapter = wanted(false, Some(" ab12 "), None);
    let both = wanted(false, Some("AB12"), Some("1001"));
    let board = wanted(false, None, Some("1001"));
    let nothing = wanted(false, None, None);
    let identified = |port: Candidate, wanted| Candidate { wanted_board: Some(wanted), ..port };
    let (a, b) = (usb(FTDI, "AB12"), usb(FTDI, "CD34"));
    type Row<'a> = (&'a str, &'a Wanted, Option<&'a str>, Option<usize>, Vec<Candidate>, Choice);
    let table: &[Row<'_>] = &[
        ("the configured path", &path, Some("1001"), Some(1), vec![a.clone(), b.clone()], Choice::Open(1)),
        ("any device at the path", &path, None, Some(0), vec![usb(OTHER, "Z")], Choice::Open(0)),
        ("another link has it", &path, None, Some(0), vec![taken(a.clone()), b.clone()], Choice::Taken(0)),
        (
            "another link has it, and the board is known",
            &path,
            Some("1001"),
            Some(0),
            vec![taken(a.clone()), b.clone()],
            Choice::Ask(vec![1]),
        ),
        ("the path is not there", &path, None, None, vec![a.clone()], Choice::Nothing),
        ("the path is not there, and the board was learned", &path, Some("1001"), None, vec![a.clone()], Choice::Ask(vec![0])),
        ("the adapter's number", &adapter, None, None, vec![b.clone(), a.clone()], Choice::Open(1)),
        ("another link has one port of the adapter", &adapter, None, None, vec![taken(a.clone()), a.clone()], Choice::Open(1)),
        ("no such adapter", &adapter, None, None, vec![b.clone()], Choice::Nothing),
        ("an adapter with two ports", &both, Some("1001"), None, vec![b.clone(), a.clone(), a.clone()], Choice::Ask(vec![1, 2])),
        ("no such adapter, but the board", &both, Some("1001"), None, vec![b.clone()], Choice::Ask(vec![0])),
        ("foreign devices are left alone", &board, Some("1001"), None, vec![usb(OTHER, "Z"), a.clone()], Choice::Ask(vec![1])),
        ("a port that a folder lists may be foreign", &board, Some("1001"), None, vec![listed()], Choice::Ask(vec![0])),
        (
            "the board has answered there",
            &board,
            Some("1001"),
            None,
            vec![a.clone(), identified(b.clone(), true)],
            Choice::Open(1),
        ),
        (
            "another board was there",
            &board,
            Some("1001"),
            None,
            vec![identified(a.clone(), false), b.clone()],
            Choice::Ask(vec![1, 0]),
        ),
        (
            "asked without an answer just now",
            &board,
            Some("1001"),
            None,
            vec![Candidate { paused: true, ..a.clone() }],
            Choice::Nothing,
        ),
        ("another's port", &board, Some("1001"), None, vec![Candidate { reserved: true, ..a.clone() }], Choice::Nothing),
        ("the only one", &nothing, None, None, vec![a.clone(), usb(OTHER, "Z")], Choice::Open(0)),
        ("the only free one", &nothing, None, None, vec![taken(a.clone()), b.clone()], Choice::Open(1)),
        ("one of several", &nothing, None, None, vec![a.clone(), b.clone()], Choice::Several(vec![0, 1])),
        ("one of several, learned", &nothing, Some("1001"), None, vec![a.clone(), b], Choice::Ask(vec![0, 1])),
        ("the only one, another board", &nothing, Some("1001"), None, vec![a], Choice::Open(0)),
        ("none", &nothing, None, None, vec![], Choice::Nothing),
    ];
    for (what, wanted, serial, configured, seen, choice) in table {
        assert_eq!(choose(wanted, *serial, *configured, seen), *choice, "{what}");
    }
}

fn candidate() -> impl Strategy<Value = Candidate> {
    let ids = prop_oneof![Just(Some(FTDI)), Just(Some(OTHER)), Just(None)];
    let number = prop_oneof![Just(None), Just(Some("A".to_owned())), Just(Some("B".to_owned()))];
    (ids, number, any::<bool>(), any::<[bool; 3]>(), any::<Option<bool>>()).prop_map(
        |(ids, serial, listed, [a, b, c], wanted_board)| {
            let usb = ids.map(|(vendor, product)| UsbId { vendor, product, serial, ..UsbId::default() });
            let stable = listed.then(|| PathBuf::from("/folder/x"));
            let found = Found { path: PathBuf::from("/dev/x"), stable, usb, node: None }.into();
            Candidate { found, taken: a, reserved: b, wanted_board, paused: c }
        },
    )
}

proptest! {
    #[test]
    fn a_choice_is_never_the_port_of_another_link(
        seen in proptest::collection::vec(candidate(), 0..8),
        port: bool,
        at in proptest::option::of(0_usize..8),
        usb_serial in proptest::option::of("[AB]"),
        serial: bool,
        learnt: bool,
    ) {
        let wanted = wanted(port, usb_serial.as_deref(), serial.then_some("1001"));
        let configured = at.filter(|index| port && *index < seen.len());
        let known = (serial || learnt).then_some("1001");
        match choose(&wanted, known, configured, &seen) {
            Choice::Open(index) => {
                prop_assert!(!seen[index].taken);
                let by_usb = usb_serial.is_some() && has_usb_serial(&seen[index].found, usb_serial.as_deref().unwrap());
                let family = may_be(&wanted, &seen[index].found) && !seen[index].reserved;
                prop_assert!(configured == Some(index) || by_usb || family);
            }
            Choice::Ask(list) => {
                prop_assert!(known.is_some() && !list.is_empty());
                prop_assert!(list.iter().all(|index| !seen[*index].taken && !seen[*index].paused));
                prop_assert!(configured.is_none_or(|index| seen[index].taken));
                let mut once = list.clone();
                once.sort_unstable();
                once.dedup();
                prop_assert_eq!(once.len(), list.len());
                // A port whose board reported another serial number is asked after all ports without a known number.
                prop_assert!(list.is_sorted_by_key(|index| seen[*index].wanted_board.is_some()));
            }
            Choice::Several(list) => {
                prop_assert!(list.len() > 1 && list.iter().all(|index| !seen[*index].taken));
                prop_assert!(!port && usb_serial.is_none() && known.is_none());
            }
            Choice::Taken(index) => prop_assert!(configured == Some(index) && seen[index].taken),
            Choice::Nothing => prop_assert!(configured.is_none()),
        }
    }
}
