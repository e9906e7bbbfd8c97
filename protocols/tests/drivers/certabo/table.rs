//! Calibration: the text of a table, and learning from frames.

use flagfall_protocols::calibration::CalibrationError;
use flagfall_protocols::drivers::certabo::{Calibration, Form, Session};
use flagfall_protocols::drivers::find;
use flagfall_protocols::square::Piece;

use super::{Numbers, SessionRig, initial, own, usual_table};

#[test]
fn a_table_is_printed_and_parsed() {
    let table = usual_table();
    let text = table.print();
    assert!(text.starts_with("R0300540101,N0300540102,") && text.ends_with(",r0300540140"), "{text}");
    assert_eq!(text.split(',').count(), 32);
    assert_eq!(Calibration::parse(&text), Ok(table.clone()));
    assert_eq!(Calibration::parse(&format!(" {}\n", text.replace(',', ", "))), Ok(table));
    assert_eq!(Calibration::parse(""), Ok(Calibration::default()));
    let many = |count: u8| (1..=count).map(|n| format!("P03005401{n:02x}")).collect::<Vec<_>>().join(",");
    assert!(Calibration::parse(&many(64)).is_ok());
    let (letter, tag) = ("a man is one of the letters", "a man's tag is ten digits");
    for (bad, item, message) in [
        ("R", 0, tag),
        ("R03005401", 0, tag),
        ("R03005401010", 0, tag),
        ("R030054010g", 0, tag),
        ("R030054010A", 0, tag),
        ("R0300540101,", 1, letter),
        ("R0300540101,,N0300540102", 1, letter),
        ("X0300540101", 0, letter),
        ("R0300540101 N0300540102", 0, tag),
        // One tag stands for two pieces; another word is no tag.
        ("R0300540101,P0300540102,N0300540101", 2, "this tag stands there twice: one tag is one man, and it is of `R` already"),
        ("R0300000001", 0, tag),
        ("é0300540101", 0, letter),
        (&many(65), 64, "more than 64 men"),
    ] {
        let error = Calibration::parse(bad).expect_err(bad);
        assert_eq!((error.item, error.message.starts_with(message)), (item, true), "{bad}: {error}");
    }
}

/// A driver accepts the calibration of a whole set. A family whose boards send the pieces by name accepts none.
#[test]
fn a_calibration_holds_a_whole_set() {
    let certabo = find("certabo").expect("registered");
    let text = usual_table().print();
    let start = |text: &str| certabo.start_with(text).map(drop);
    assert_eq!(start(&text), Ok(()));
    assert_eq!(start(&format!("{text},Q0300540901,Q0300540902,n0300540903")), Ok(()), "as many spare men as there are");
    let without = |letter: char| {
        let mut items: Vec<&str> = text.split(',').collect();
        items.remove(items.iter().position(|item| item.starts_with(letter)).expect("it is there"));
        items.join(",")
    };
    for (text, item, message) in [
        (String::new(), 0, "0 of the 2 men `R` of a set are there"),
        (without('k'), 31, "0 of the 1 men `k` of a set are there"),
        (without('P'), 31, "7 of the 8 men `P` of a set are there"),
        (
            text.replace("0300540108", "0300540107"),
            7,
            "this tag stands there twice: one tag is one man, and it is of `N` already",
        ),
    ] {
        assert_eq!(start(&text), Err(CalibrationError::new(item, message)), "{text}");
    }
    let reported = |name: &str| find(name).expect("registered").start_with(&text).map(drop);
    for name in ["dgt", "tabutronic"] {
        assert_eq!(reported(name), Err(CalibrationError::new(0, "boards of this family need no calibration")), "{name}");
    }
}

/// Returns the calibration that a session learns from these frames.
fn learned(frames: impl IntoIterator<Item = Numbers>) -> Option<Calibration> {
    let mut rig = SessionRig::up(Session::new(Form::Tags));
    frames.into_iter().for_each(|numbers| rig.frame(&numbers.0));
    rig.session.calibration().cloned()
}

fn sorted(table: Option<Calibration>) -> Option<Vec<([u8; 5], Piece)>> {
    table.map(|table| {
        let mut entries = table.entries().to_vec();
        entries.sort_by_key(|(tag, _)| *tag);
        entries
    })
}

#[test]
fn seven_frames_of_the_initial_position_make_a_table() {
    let usual = || sorted(Some(usual_table()));
    assert_eq!(learned([initial(); 6]), None);
    assert_eq!(sorted(learned([initial(); 7])), usual());
    for seed in 0..50 {
        let mut rng = fastrand::Rng::with_seed(seed);
        assert_eq!(sorted(learned((0..7).map(|_| initial().noisy(&mut rng)))), usual(), "{seed}");
    }
    // Two of seven frames lack a tag or have a wrong one.
    let lost = |count: usize| (0..7).map(move |n| if n < count { initial().without("e1") } else { initial() });
    let wrong = |count: u8| (0..7).map(move |n| if n < count { initial().with("e1", [9, 9, 9, 9, n]) } else { initial() });
    assert_eq!((sorted(learned(lost(2))), sorted(learned(wrong(2)))), (usual(), usual()));
    assert_eq!((learned(lost(3)), learned(wrong(3))), (None, None));
}

#[test]
fn spare_queens_are_learned() {
    let (black, white) = ([3, 0, 84, 2, 1], [3, 0, 84, 2, 2]);
    let table = learned([initial().with("d6", black).with("d3", white); 7]).expect("34 pieces");
    assert_eq!((table.piece(&black), table.piece(&white)), (Piece::from_letter('q'), Piece::from_letter('Q')));
    assert_eq!(table.entries().len(), 34);
    assert_eq!(learned([initial().with("d6", black); 7]).map(|table| table.entries().len()), Some(33));
}

#[test]
fn a_position_other_than_the_initial_one_is_not_learned() {
    let spare = [3, 0, 84, 2, 1];
    for (name, numbers) in [
        ("a piece is missing", initial().without("b1")),
        ("a pawn was moved", initial().moved("e2", "e4")),
        ("a spare piece elsewhere", initial().with("e6", spare)),
        ("one tag on two squares", initial().with("b8", own(super::at("g8")))),
        ("one tag on two squares, one of them d3", initial().with("d3", own(super::at("d1")))),
        ("nothing at all", Numbers([0; 320])),
    ] {
        assert_eq!(learned([numbers; 30]), None, "{name}");
    }
    // A piece stands on e4 in three frames of seven, because somebody moves it.
    assert_eq!(learned((0..7).map(|n| if n < 3 { initial().with("e4", spare) } else { initial() })), None);
}
