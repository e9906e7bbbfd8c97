//! The line format: each record has one form, every damaged line is refused, and nothing panics.

use std::borrow::Cow;
use std::panic::catch_unwind;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{
    Audience, Body, FORMAT, Field, LineFault, MAX_HEADERS, MAX_LINE, Record, Trace, parse, parse_bytes, parse_header, print,
    print_header,
};
use proptest::prelude::*;

use crate::seeds::campaign;

/// One line of every kind, without its checksum.
const LINES: [&str; 16] = [
    "0 0 rx 0 0 00",
    "1 1043 rx 255 255 8e00053f00",
    "18446744073709551615 18446744073709551615 tx 3 1 44",
    "7 10 link 0 up opened",
    "8 10 link 1 down broken-pipe",
    r#"9 11 cmd {"verb":"resume","actor":"arbiter * 1"}"#,
    r#"10 12 answer {"id":4}"#,
    r#"11 12 anchor {"utc":"2026-11-21T13:02:11.412Z"}"#,
    r#"12 12 boot {"program":"0.1.0"}"#,
    r#"13 12 out 1 arbiter open26/5/12/audit 0 {"körper":" *00000000"}"#,
    r#"14 12 out 0 live open26/5/12/state 1 {}"#,
    r#"15 12 out 0 public open26/5/12/state 1 "#,
    "16 12 ack mqtt arbiter 61",
    "17 12 ack pgn_file public 0",
    "18 12 snap 0123456789abcdef",
    "19 12 cmd  text that begins and ends with a space ",
];

fn sealed(body: &str) -> String {
    format!("{body} *{:08x}", flagfall_protocols::bytes::crc32(body.as_bytes()))
}

#[test]
fn every_kind_is_printed_as_it_is_read() {
    for body in LINES {
        let line = sealed(body);
        let record = parse(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        let mut out = String::from("kept|");
        print(&record, &mut out).expect("parsed records can be printed");
        assert_eq!(out, format!("kept|{line}\n"));
    }
}

#[test]
fn fields_have_the_meaning_of_the_table() {
    let line = sealed(r#"5 1043 out 61 public a/b 1 {"x": 1}"#);
    let body = Body::Out { number: 61, audience: Audience::Public, topic: "a/b", retain: true, payload: r#"{"x": 1}"# };
    assert_eq!(parse(&line), Ok(Record { seq: 5, at: Instant(1043), body }));
    let line = sealed("6 1044 rx 2 7 8e00");
    assert_eq!(parse(&line).unwrap().body, Body::Rx { link: 2, channel: 7, bytes: Cow::Borrowed(&[0x8e, 0x00]) });
}

#[test]
fn another_form_is_refused_and_the_error_names_the_column() {
    use Field::*;
    use LineFault::{Bad, Missing};
    let cases = [
        ("", 1, Bad(Sequence)),
        ("01 0 rx 0 0 00", 1, Bad(Sequence)),
        ("+1 0 rx 0 0 00", 1, Bad(Sequence)),
        ("18446744073709551616 0 rx 0 0 00", 1, Bad(Sequence)),
        ("1", 3, Missing(Micros)),
        ("1  0 rx 0 0 00", 3, Bad(Micros)),
        ("1 -1 rx 0 0 00", 3, Bad(Micros)),
        ("1 0 RX 0 0 00", 5, Bad(Kind)),
        ("1 0 quit 0 0 00", 5, Bad(Kind)),
        ("1 0 rx 256 0 00", 8, Bad(Link)),
        ("1 0 rx 0 x 00", 10, Bad(Channel)),
        ("1 0 rx 0 0", 12, Missing(Bytes)),
        ("1 0 rx 0 0 ", 12, Bad(Bytes)),
        ("1 0 rx 0 0 8E", 12, Bad(Bytes)),
        ("1 0 rx 0 0 8", 12, Bad(Bytes)),
        ("1 0 rx 0 0 8e ", 12, Bad(Bytes)),
        ("1 0 link 0 on x", 12, Bad(UpDown)),
        ("1 0 link 0 up Two words", 15, Bad(Cause)),
        ("1 0 cmd", 9, Missing(Payload)),
        ("1 0 cmd ", 9, Bad(Payload)),
        ("1 0 cmd a\tb", 10, LineFault::Control),
        ("1 0 cmd a\r", 10, LineFault::Control),
        ("1 0 out 1 all t 0 {}", 11, Bad(Audience)),
        ("1 0 out 1 live  0 {}", 16, Bad(Topic)),
        ("1 0 out 1 live t 2 {}", 18, Bad(Retain)),
        ("1 0 out 1 live t 1", 20, Missing(Payload)),
        ("1 0 ack Mqtt live 1", 9, Bad(Sink)),
        ("1 0 ack mqtt live 1 2", 20, Bad(Number)),
        ("1 0 snap ", 10, Bad(Digest)),
    ];
    for (body, column, fault) in cases {
        let error = parse(&sealed(body)).expect_err(body);
        assert_eq!((error.column, error.fault), (column, fault), "{body}: {error}");
    }
    for (line, fault) in [
        ("1 0 rx 0 0 00", LineFault::NoChecksum),
        ("1 0 rx 0 0 00 *0000000", LineFault::NoChecksum),
        ("1 0 rx 0 0 00 *00000000", LineFault::WrongChecksum),
        ("é*00000000", LineFault::NoChecksum),
    ] {
        assert_eq!(parse(line).expect_err(line).fault, fault, "{line}");
    }
    let upper = sealed("12 0 rx 0 0 00").to_uppercase();
    assert_eq!(parse(&upper).expect_err("upper case").fault, LineFault::NoChecksum, "{upper}");
    assert_eq!(parse_bytes(b"1 0 cmd \xff").expect_err("not text").fault, LineFault::NotText);
}

#[test]
fn a_record_without_a_form_is_not_printed() {
    let long = "x".repeat(MAX_LINE);
    let bytes = vec![0; MAX_LINE];
    let out = |topic, payload| Body::Out { number: 1, audience: Audience::Live, topic, retain: false, payload };
    let cases = [
        (Body::Cmd(""), LineFault::Bad(Field::Payload)),
        (Body::Cmd("a\nb"), LineFault::Control),
        (Body::Answer(&long), LineFault::TooLong),
        (Body::Rx { link: 0, channel: 0, bytes: Cow::Borrowed(&[]) }, LineFault::Bad(Field::Bytes)),
        (Body::Rx { link: 0, channel: 0, bytes: Cow::Borrowed(&bytes) }, LineFault::TooLong),
        (Body::Tx { link: 0, channel: 0, bytes: Cow::Borrowed(&bytes[..MAX_LINE / 2]) }, LineFault::TooLong),
        (Body::Link { link: 0, up: true, cause: "two words" }, LineFault::Bad(Field::Cause)),
        (out("a b", "{}"), LineFault::Bad(Field::Topic)),
        (out("a/b", "{}\n"), LineFault::Control),
        (Body::Ack { sink: "", audience: Audience::Live, number: 1 }, LineFault::Bad(Field::Sink)),
        (Body::Snap(Cow::Borrowed(&[])), LineFault::Bad(Field::Digest)),
        (Body::Snap(Cow::Borrowed(&bytes[..65])), LineFault::Bad(Field::Digest)),
    ];
    for (body, fault) in cases {
        let mut text = String::from("kept");
        let error = print(&Record { seq: 1, at: Instant(0), body }, &mut text).expect_err("has no form");
        assert_eq!((text.as_str(), error.fault), ("kept", fault));
    }
}

#[test]
fn the_longest_line_is_accepted() {
    let mut text = String::new();
    let payload = "x".repeat(MAX_LINE - "1 0 cmd ".len() - 10);
    print(&Record { seq: 1, at: Instant(0), body: Body::Cmd(&payload) }, &mut text).expect("fits");
    let line = text.strip_suffix('\n').expect("line feed");
    assert_eq!(line.len(), MAX_LINE);
    assert_eq!(parse(line).unwrap().body, Body::Cmd(&payload));
    assert_eq!(parse(&sealed(&"x".repeat(MAX_LINE))).expect_err("too long").fault, LineFault::TooLong);
}

/// The test changes every position to every other value.
#[test]
fn every_changed_byte_is_refused() {
    for body in LINES {
        let mut line = sealed(body).into_bytes();
        for place in 0..line.len() {
            let right = line[place];
            for wrong in (0..=255).filter(|&wrong| wrong != right) {
                line[place] = wrong;
                assert!(parse_bytes(&line).is_err(), "{}", String::from_utf8_lossy(&line));
            }
            line[place] = right;
        }
        assert!((0..line.len()).all(|end| parse_bytes(&line[..end]).is_err()), "a shorter line is another line");
    }
}

#[test]
fn headers_are_sealed_by_programs_and_may_be_bare_by_hand() {
    let mut text = String::new();
    print_header("time-control", "40/90, 30 + 30 s *", &mut text).expect("fits");
    let line = text.strip_suffix('\n').expect("line feed");
    let header = parse_header(line.as_bytes()).expect("reads back");
    assert_eq!((header.key, header.value, header.sealed), ("time-control", "40/90, 30 + 30 s *", true));
    let bare = parse_header("# name: Kölner Halbfinale".as_bytes()).expect("by hand");
    assert_eq!((bare.key, bare.value, bare.sealed), ("name", "Kölner Halbfinale", false));
    for bad in [
        "#name: x",
        "# name:x",
        "# Name: x",
        "# name: ",
        "# name: x ",
        "# name: x\ty",
        "# name: x *0000000g",
        "# name: x *00000000",
        "#",
        "",
    ] {
        assert!(parse_header(bad.as_bytes()).is_err(), "{bad}");
    }
    for (key, value) in [("Name", "x"), ("", "x"), ("name", ""), ("name", " x"), ("name", "a\nb"), ("name", &"x".repeat(1025))] {
        assert!(print_header(key, value, &mut String::new()).is_err(), "{key}: {value}");
    }
}

fn file(bodies: &[&str]) -> String {
    let mut text = format!("{FORMAT}\n# driver: dgt\n");
    print_header("device", "board 12", &mut text).expect("fits");
    bodies.iter().for_each(|body| text += &(sealed(body) + "\n"));
    text
}

#[test]
fn a_file_is_a_header_and_records_in_order() {
    let text = file(&["4 10 rx 0 0 00", "5 10 tx 0 0 01", "6 11 link 0 down gone"]);
    let trace = Trace::new(text.as_bytes()).expect("good header");
    assert_eq!((trace.header("driver"), trace.header("device"), trace.header("x")), (Some("dgt"), Some("board 12"), None));
    let lines: Vec<_> = trace.records().map(|record| record.expect("good record")).map(|(line, r)| (line, r.seq)).collect();
    assert_eq!(lines, [(4, 4), (5, 5), (6, 6)]);
}

#[test]
fn a_wrong_file_is_refused_with_its_line() {
    let gap = LineFault::Sequence { expected: 5, found: 6 };
    for (bodies, line, fault) in [
        (&["4 10 rx 0 0 00", "6 10 tx 0 0 01"][..], 5, gap),
        (&["4 10 rx 0 0 00", "4 10 tx 0 0 01"], 5, LineFault::Sequence { expected: 5, found: 4 }),
        (&["4 10 rx 0 0 00", "5 9 tx 0 0 01", "6 9 tx 0 0 01"], 5, LineFault::TimeFell),
        (&["4 10 rx 0 0 00", "# 9"], 5, LineFault::Bad(Field::Sequence)),
    ] {
        let text = file(bodies);
        let trace = Trace::new(text.as_bytes()).expect("good header");
        let errors: Vec<_> = trace.records().filter_map(Result::err).map(|error| (error.line, error.error.fault)).collect();
        assert_eq!(errors, [(line, fault)], "{text}");
        assert!(trace.records().last().expect("has records").is_err(), "nothing after an error");
    }
    for (text, line, fault) in [
        (String::new(), 1, LineFault::BadFormatLine),
        ("# flagfall trace 2\n".into(), 1, LineFault::BadFormatLine),
        (format!("{FORMAT}\r\n"), 1, LineFault::BadFormatLine),
        (FORMAT.into(), 1, LineFault::NoLineFeed),
        (format!("{FORMAT}\n#\n"), 2, LineFault::Bad(Field::Key)),
        (format!("{FORMAT}\n{}", "# a: b\n".repeat(MAX_HEADERS + 1)), MAX_HEADERS + 2, LineFault::TooManyHeaders),
    ] {
        let error = Trace::new(text.as_bytes()).expect_err("wrong header");
        assert_eq!((error.line, error.error.fault), (line, fault), "{text}");
    }
    let text = file(&["1 0 rx 0 0 00"]);
    let trace = Trace::new(&text.as_bytes()[..text.len() - 1]).expect("good header");
    assert_eq!(trace.records().next().expect("a line").expect_err("cut").error.fault, LineFault::NoLineFeed);
}

fn word() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(b"abcxyz0189-_".to_vec()), 1..=32)
        .prop_map(|bytes| String::from_utf8(bytes).expect("ASCII"))
}

fn payload(min: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(any::<char>().prop_filter("control", |c| *c >= ' ' && *c != '\x7f'), min..60)
        .prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn printed_records_are_read_back(
        seq: u64, at: u64, kind in 0..10u8, small: (u8, u8), flag: bool, number: u64, who in 0..3usize,
        bytes in proptest::collection::vec(any::<u8>(), 1..=64), word in word(), some in payload(1), any in payload(0),
    ) {
        let bytes = Cow::Owned(bytes);
        let audience = Audience::ALL[who];
        let body = match kind {
            0 => Body::Rx { link: small.0, channel: small.1, bytes },
            1 => Body::Tx { link: small.0, channel: small.1, bytes },
            2 => Body::Link { link: small.0, up: flag, cause: &word },
            3 => Body::Cmd(&some),
            4 => Body::Answer(&some),
            5 => Body::Anchor(&some),
            6 => Body::Boot(&some),
            7 => Body::Out { number, audience, topic: &word, retain: flag, payload: &any },
            8 => Body::Ack { sink: &word, audience, number },
            _ => Body::Snap(bytes),
        };
        let record = Record { seq, at: Instant(at), body };
        let mut out = String::new();
        print(&record, &mut out).unwrap();
        prop_assert_eq!(out.matches('\n').count(), 1);
        prop_assert_eq!(parse(out.trim_end_matches('\n')), Ok(record));
    }
}

/// Feeds random and half-right input: nothing panics, and each accepted record has one form.
fn fuzz(total: usize, seed: u64) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut fed = 0;
    while fed < total {
        let mut text = match rng.u8(0..3) {
            0 => (0..rng.usize(0..200)).map(|_| rng.u8(..)).collect(),
            1 => (0..rng.usize(0..100)).map(|_| b"0123456789abcdef *#:\nrxtoulink"[rng.usize(0..30)]).collect(),
            _ => file(&LINES[..rng.usize(0..=LINES.len())]).into_bytes(),
        };
        for _ in 0..rng.usize(0..4) {
            if let Some(place) = (!text.is_empty()).then(|| rng.usize(0..text.len())) {
                match rng.u8(0..3) {
                    0 => text[place] = rng.u8(..),
                    1 => drop(text.remove(place)),
                    _ => text.insert(place, rng.u8(..)),
                }
            }
        }
        fed += text.len().max(1);
        let result = catch_unwind(|| {
            if let Ok(trace) = Trace::new(&text) {
                trace.records().for_each(drop);
            }
            for line in text.split(|&b| b == b'\n') {
                let _ = parse_header(line);
                // The checksum is right, so that the fields are checked as well.
                let resealed = std::str::from_utf8(line).ok().map(sealed);
                for line in [Some(line), resealed.as_deref().map(str::as_bytes)].into_iter().flatten() {
                    if let Ok(record) = parse_bytes(line) {
                        let mut again = String::new();
                        print(&record, &mut again).expect("parsed records can be printed");
                        assert_eq!(again.trim_end_matches('\n').as_bytes(), line);
                    }
                }
            }
        });
        assert!(result.is_ok(), "seed {seed}: {text:?}");
    }
}

#[test]
fn random_input_never_panics() {
    const BYTES: usize = 1_000_000;
    campaign("fuzz of traces", 1..2, |seed| {
        fuzz(BYTES, seed);
        BYTES as u64
    });
}
