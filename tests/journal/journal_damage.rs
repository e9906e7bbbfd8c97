//! A journal that is torn at any byte, or in which any byte is changed: it opens, accepts no wrong record, and loses no other record.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use fastrand::Rng;
use flagfall::journal::{Harm, Journal, Keep, Limits, MAX_DAMAGE, MAX_TORN, OpenError, read};
use flagfall_protocols::bytes::crc32;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, FORMAT, Field, LineFault, print_header};

use crate::support::fake_disk::{FakeDisk, lines, open};
use crate::support::seeds::campaign;

type Files = BTreeMap<String, Vec<u8>>;

const FIRST: &str = "00000001-day.journal";
const NEWEST: &str = "00000002-r5-b12.journal";

/// Two sessions with every kind of record.
fn sample() -> Files {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits::default());
    journal.begin("day", &[("driver", "dgt"), ("device", "board 12")], Instant(0)).expect("a good session");
    fill(&mut journal);
    journal.flush(Instant(0)).expect("the disk is fine");
    journal.begin("r5-b12", &[("driver", "dgt")], Instant(0)).expect("a good session");
    fill(&mut journal);
    journal.flush(Instant(0)).expect("the disk is fine");
    let files = disk.files();
    assert_eq!(files.keys().collect::<Vec<_>>(), [FIRST, NEWEST]);
    files
}

fn fill(journal: &mut Journal) {
    let out = |number, audience, payload| Body::Out { number, audience, topic: "open26/5/12/audit", retain: false, payload };
    let number = journal.standing().next_out(Audience::Arbiter);
    let bytes = Cow::Borrowed(&[0x8e, 0x00, 0x05, 0x3f, 0x00][..]);
    for body in [
        Body::Boot(r#"{"program":"0.1.0"}"#),
        Body::Link { link: 0, up: true, cause: "opened" },
        Body::Tx { link: 0, channel: 0, bytes: Cow::Borrowed(&[0x44]) },
        Body::Rx { link: 0, channel: 0, bytes },
        out(number, Audience::Arbiter, r#"{"note":" *00000000"}"#),
        out(0, Audience::Public, ""),
        Body::Ack { sink: "mqtt", audience: Audience::Arbiter, number },
        Body::Cmd(r#"{"verb":"resume"}"#),
        Body::Snap(Cow::Borrowed(&[1, 2, 3, 4])),
    ] {
        let at = journal.standing().last_at.micros() + 1000;
        journal.append(Instant(at), body).expect("good records");
    }
}

/// The records of a file as lines, each with its place, which includes the line feed.
fn records_of(text: &[u8]) -> Vec<(Range<usize>, String)> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive(|&b| b == b'\n') {
        if !line.starts_with(b"#") {
            found.push((start..start + line.len(), String::from_utf8(line.to_vec()).expect("text")));
        }
        start += line.len();
    }
    found
}

fn sealed(body: &str) -> String {
    format!("{body} *{:08x}\n", crc32(body.as_bytes()))
}

fn header_end(text: &[u8]) -> usize {
    records_of(text)[0].0.start
}

#[test]
fn a_journal_torn_at_every_byte_opens() {
    let whole = sample();
    let first: Vec<String> = records_of(&whole[FIRST]).into_iter().map(|(_, line)| line).collect();
    let text = &whole[NEWEST];
    for cut in 0..text.len() {
        let mut files = whole.clone();
        files.get_mut(NEWEST).expect("there").truncate(cut);
        let disk = FakeDisk::with(&files);
        let (journal, recovered) = open(&disk, Limits::default());
        let kept: Vec<_> = records_of(text).into_iter().filter(|(place, _)| place.end <= cut + 1).collect();
        let expected: Vec<String> = first.iter().cloned().chain(kept.iter().map(|(_, line)| line.clone())).collect();
        assert_eq!(lines(recovered.records()), expected, "cut at {cut}");
        assert_eq!(journal.standing().next_seq, expected.len() as u64 + 1);
        let header = cut + 1 >= header_end(text);
        assert_eq!(recovered.session(), Some(if header { "r5-b12" } else { "day" }), "cut at {cut}");
        assert_newest_session_is_enough(&files);
        let good = kept.last().map_or(if header { header_end(text) } else { 0 }, |(place, _)| place.end).min(cut);
        let torn = disk.files().into_iter().filter(|(name, _)| name.ends_with(".torn")).map(|(_, bytes)| bytes);
        let expected_torn = (good < cut).then(|| text[good..cut].to_vec());
        assert_eq!(torn.collect::<Vec<_>>(), Vec::from_iter(expected_torn), "cut at {cut}");
        drop(journal);
        let (mut journal, again) = open(&disk, Limits::default());
        assert_eq!((lines(again.records()), again.damage.total), (expected, 0), "cut at {cut}");
        fill(&mut journal);
        journal.flush(Instant(0)).expect("the disk is fine");
        let (_, longer) = open(&disk, Limits::default());
        assert_eq!((longer.records().count(), longer.damage.total), (again.records().count() + 9, 0), "cut at {cut}");
    }
}

#[test]
fn a_journal_with_any_byte_changed_opens() {
    let whole = sample();
    let all: Vec<String> = whole.values().flat_map(|text| records_of(text)).map(|(_, line)| line).collect();
    for name in [FIRST, NEWEST] {
        for place in 0..whole[name].len() {
            let right = whole[name][place];
            let hit = records_of(&whole[name]).into_iter().find(|(line, _)| line.contains(&place)).map(|(_, line)| line);
            for wrong in [right ^ 1, right ^ 0x80, 0, b'\n', b'*', b'#'] {
                if wrong == right {
                    continue;
                }
                let mut files = whole.clone();
                files.get_mut(name).expect("there")[place] = wrong;
                let disk = FakeDisk::with(&files);
                let (_, recovered) = open(&disk, Limits::default());
                let found = lines(recovered.records());
                let what = format!("{name}, byte {place} = {wrong}: {:?}", recovered.damage);
                let others = |line: &&String| Some(*line) != hit.as_ref();
                assert!(all.iter().filter(others).eq(found.iter().filter(others)), "all other records are kept: {what}");
                assert!(found.iter().all(|line| all.contains(line)), "no record is invented: {what}");
                assert_ne!(recovered.damage.total, 0, "the damage is reported: {what}");
                if wrong == 0 {
                    let (_, again) = open(&disk, Limits::default());
                    assert_eq!(lines(again.records()), found, "opening again changes nothing: {what}");
                }
            }
        }
    }
}

/// Damages bytes of records in many places, and opens the journal; returns the number of places.
fn damaged_anywhere(seed: u64, whole: &Files) -> u64 {
    let mut rng = Rng::with_seed(seed);
    let (mut files, mut untouched, mut count) = (whole.clone(), Vec::new(), 0);
    for (name, text) in whole {
        let mut places: Vec<usize> = (0..rng.usize(1..9)).map(|_| rng.usize(header_end(text)..text.len())).collect();
        places.sort_unstable();
        places.dedup();
        let (mut bytes, mut ends) = (text.clone(), places.clone());
        // The places are damaged from the end, and no damage reaches the next place, so that earlier places do not move.
        let mut next = text.len();
        for (place, end) in places.iter().zip(&mut ends).rev() {
            let noise = rng.u8(..);
            match rng.u8(..4) {
                0 => bytes[*place] ^= noise.max(1),
                1 => drop(bytes.remove(*place)),
                2 => bytes.insert(*place, noise),
                _ => {
                    *end = (*place + rng.usize(..200)).min(next - 1);
                    bytes[*place..=*end].fill(0);
                }
            }
            next = *place;
        }
        count += places.len() as u64;
        // If the end of a line is gone, the next line is damaged, too.
        let hit = |line: &Range<usize>| places.iter().zip(&ends).any(|(from, to)| *from < line.end && *to + 1 >= line.start);
        untouched.extend(records_of(text).into_iter().filter(|(line, _)| !hit(line)).map(|(_, line)| line));
        files.insert(name.clone(), bytes);
    }
    let all: Vec<String> = whole.values().flat_map(|text| records_of(text)).map(|(_, line)| line).collect();
    let disk = FakeDisk::with(&files);
    let (_, recovered) = open(&disk, Limits::default());
    let found = lines(recovered.records());
    let mut rest = found.iter();
    assert!(
        untouched.iter().all(|line| rest.any(|found| found == line)),
        "records without damage are kept: {:?}",
        recovered.damage
    );
    let mut rest = all.iter();
    assert!(found.iter().all(|line| rest.any(|one| one == line)), "no record is invented or repeated: {:?}", recovered.damage);
    assert_ne!(recovered.damage.total, 0, "the damage is reported");
    let (_, again) = open(&disk, Limits::default());
    assert_eq!(lines(again.records()), found, "opening again changes nothing");
    assert_newest_session_is_enough(&files);
    count
}

/// A daemon keeps only the newest session in memory, and must find the same as one that keeps everything.
fn assert_newest_session_is_enough(files: &Files) {
    let (_, all) = open(&FakeDisk::with(files), Limits::default());
    let disk = FakeDisk::with(files);
    let (_, newest) = Journal::open(Box::new(disk.clone()), Limits::default(), Keep::NewestSession).expect("opens");
    assert_eq!(newest.session(), all.session());
    assert_eq!(newest.session_header("driver"), all.session_header("driver"));
    assert_eq!(lines(newest.session_records()), lines(all.session_records()));
    assert_eq!(lines(newest.records()), lines(all.session_records()), "older records are not in memory");
    assert_eq!(newest.standing, all.standing);
    assert_eq!(newest.damage, all.damage);
    assert_eq!((newest.is_closed(), newest.whole_up_to()), (all.is_closed(), all.whole_up_to()));
}

#[test]
fn a_journal_with_many_damaged_bytes_opens() {
    let whole = sample();
    campaign("damage of a journal", 0..500, |seed| damaged_anywhere(seed, &whole));
}

#[test]
fn damage_is_reported_with_file_line_and_gap() {
    let mut files = sample();
    let text = files.get_mut(FIRST).expect("there");
    let (place, _) = records_of(text)[3].clone();
    text[place.start + 12] ^= 1;
    let (_, recovered) = open(&FakeDisk::with(&files), Limits::default());
    let described = &recovered.damage.described;
    assert_eq!((recovered.damage.total, described.len()), (2, 2));
    assert_eq!((described[0].file.as_str(), described[0].line), (FIRST, 9));
    let Harm::Unreadable { lines: 1, first } = described[0].harm else { panic!("{described:?}") };
    assert_eq!(first.fault, LineFault::WrongChecksum);
    assert_eq!((described[1].line, described[1].harm.clone()), (10, Harm::Gap { expected: 4, found: 5 }));
    assert_eq!(described[1].to_string(), format!("{FIRST}, line 10: records 4 to 4 are missing"));
}

/// A page that never reached the disk, before a page that did.
#[test]
fn a_hole_of_zeros_hides_no_record_behind_it() {
    let whole = sample();
    let records = records_of(&whole[NEWEST]);
    for (from, to) in [(2, 5), (0, 1), (1, 9)] {
        for (early, late) in [(0, 0), (5, 0), (0, 3), (7, 9)] {
            let mut files = whole.clone();
            let hole = records[from].0.start + early..records[to - 1].0.end + late;
            let text = files.get_mut(NEWEST).expect("there");
            let hole = hole.start..hole.end.min(text.len());
            text[hole].fill(0);
            let (_, recovered) = open(&FakeDisk::with(&files), Limits::default());
            let behind = if late == 0 { to } else { to + 1 };
            let kept = records.iter().enumerate().filter(|(i, _)| *i < from || *i >= behind).map(|(_, (_, line))| line.clone());
            assert_eq!(lines(recovered.session_records()), kept.collect::<Vec<_>>(), "{from}..{to}");
        }
    }
}

#[test]
fn a_good_line_in_the_wrong_place_is_refused() {
    let whole = sample();
    let early = records_of(&whole[FIRST])[2].1.clone();
    let mut header = String::new();
    print_header("carry", "next 900 at 900 boots 9 arbiter 9 live 9 public 9", &mut header).expect("fits");
    for (stray, fault) in [
        (early, LineFault::Sequence { expected: 14, found: 3 }),
        (sealed("14 12999 rx 0 0 00"), LineFault::TimeFell),
        (header, LineFault::Bad(Field::Sequence)),
    ] {
        let mut files = whole.clone();
        let text = files.get_mut(NEWEST).expect("there");
        let place = records_of(text)[4].0.start;
        text.splice(place..place, stray.bytes());
        let (_, recovered) = open(&FakeDisk::with(&files), Limits::default());
        let (_, untouched) = open(&FakeDisk::with(&whole), Limits::default());
        assert!(recovered.records().eq(untouched.records()), "{stray}");
        assert_eq!(recovered.standing, untouched.standing, "{stray}");
        let [damage] = &recovered.damage.described[..] else { panic!("{:?}", recovered.damage) };
        let Harm::Unreadable { lines: 1, first } = damage.harm else { panic!("{damage}") };
        assert_eq!(first.fault, fault);
    }
}

#[test]
fn a_header_that_was_never_finished_counts_for_nothing() {
    let mut files = sample();
    let mut text = format!("{FORMAT}\n");
    print_header("ack", "mqtt arbiter 77", &mut text).expect("fits");
    files.insert("00000003-next.journal".into(), text.into_bytes());
    let (mut journal, recovered) = open(&FakeDisk::with(&files), Limits::default());
    assert_eq!((recovered.session(), recovered.damage.total), (Some("r5-b12"), 1));
    assert_eq!(journal.standing().acked("mqtt", Audience::Arbiter), 2);
    fill(&mut journal);
    assert_eq!(journal.standing().next_seq, 28);
}

#[test]
fn bounds_hold_whatever_the_files_are() {
    let mut files = sample();
    files.get_mut(FIRST).expect("there").splice(0..0, "x\n1 *00000000\n".repeat(10_000).into_bytes());
    let (_, recovered) = open(&FakeDisk::with(&files), Limits::default());
    assert_eq!((recovered.records().count(), recovered.damage.total), (18, 1), "adjacent damaged lines count as one");
    let text = files.get_mut(FIRST).expect("there");
    let mut spread = Vec::new();
    for number in 1..=200_u64 {
        spread.extend((sealed(&format!("{number} {number} rx 0 0 00")) + "x\n").bytes());
    }
    *text = spread;
    files.remove(NEWEST);
    let (_, recovered) = open(&FakeDisk::with(&files), Limits::default());
    assert_eq!((recovered.records().count(), recovered.damage.described.len()), (200, MAX_DAMAGE));
    assert_eq!(recovered.damage.total, 201, "199 lines between, the torn tail, and no header");
    let (_, garbage) = open(&FakeDisk::with(&BTreeMap::from([(FIRST.to_owned(), vec![0xa5; 100_000])])), Limits::default());
    assert_eq!(garbage.records().count(), 0);
}

#[test]
fn only_so_many_torn_tails_are_kept() {
    let disk = FakeDisk::with(&sample());
    for round in 0..MAX_TORN + 5 {
        let mut text = disk.files()[NEWEST].clone();
        text.extend(b"torn");
        disk.put_file(NEWEST, &text);
        let (mut journal, recovered) = open(&disk, Limits::default());
        assert!(
            matches!(recovered.damage.described[..], [ref damage] if damage.harm == Harm::Torn {
            bytes: 4, kept: Some(format!("{NEWEST}.{:010}.torn", text.len() - 4)) }),
            "{:?}",
            recovered.damage
        );
        let torn = disk.files().keys().filter(|name| name.ends_with(".torn")).count();
        assert_eq!(torn, (round + 1).min(MAX_TORN));
        fill(&mut journal);
        journal.flush(Instant(0)).expect("the disk is fine");
    }
}

#[test]
fn a_newer_format_is_refused_and_left_alone() {
    let mut files = sample();
    files.insert("00000003-x.journal".into(), b"# flagfall trace 2\nwhatever comes\n".to_vec());
    let disk = FakeDisk::with(&files);
    let error = Journal::open(Box::new(disk.clone()), Limits::default(), Keep::All).map(drop).expect_err("newer");
    assert!(matches!(error, OpenError::NewerFormat { .. }), "{error}");
    assert_eq!(disk.files(), files);
}

#[test]
fn reading_changes_nothing() {
    let mut files = sample();
    files.get_mut(NEWEST).expect("there").extend(b"99 9999 rx 0");
    files.insert("00000003-next.journal".into(), b"# flagfall".to_vec());
    files.insert("notes.txt".into(), b"not the journal's".to_vec());
    let mut disk = FakeDisk::with(&files);
    let recovered = read(&mut disk).expect("readable");
    assert_eq!((recovered.records().count(), recovered.damage.total), (18, 2));
    assert_eq!(disk.files(), files);
}
