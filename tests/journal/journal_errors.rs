//! Full disks, failing writes, the limit of the size, and refused records.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use flagfall::journal::{AppendError, BeginError, FLUSH_AFTER, Harm, Journal, Limits, MAX_SINKS, RETRY_AFTER, Stamp};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body, LineFault, Trace};

use crate::support::fake_disk::{FakeDisk, lines, open};

const RX: Body<'static> = Body::Rx { link: 0, channel: 0, bytes: Cow::Borrowed(&[0x8e]) };

fn out(number: u64, payload: &str) -> Body<'_> {
    Body::Out { number, audience: Audience::Live, topic: "a/b", retain: false, payload }
}

fn journal_files(disk: &FakeDisk) -> Vec<String> {
    disk.files().into_keys().collect()
}

#[test]
fn flushed_at_most_half_a_second_after_the_first_record() {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits::default());
    assert_eq!((journal.dirty_since(), journal.flush_due()), (None, None));
    for at in [100, 200, 300] {
        journal.append(Instant(at), RX).expect("good");
    }
    assert_eq!(journal.dirty_since(), Some(Instant(100)));
    assert_eq!(journal.flush_due(), Some(Instant(100).after(FLUSH_AFTER)));
    assert!(disk.files().is_empty(), "nothing is written before");
    journal.flush(Instant(500_100)).expect("the disk is fine");
    assert_eq!((journal.dirty_since(), journal.flush_due()), (None, None));
    // Every file of a journal is a valid trace.
    let text = &disk.files()["00000001-start.journal"];
    let trace = Trace::new(text).expect("good header");
    assert_eq!(trace.header("session"), Some("start"));
    assert_eq!(trace.records().map(|record| record.expect("good record").1.seq).collect::<Vec<_>>(), [1, 2, 3]);
}

#[test]
fn a_barrier_writes_only_what_waits() {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits::default());
    journal.append(Instant(1), RX).expect("good");
    journal.send_barrier(Instant(1)).expect("the disk is fine");
    disk.fail_power_after(Some(0));
    journal.send_barrier(Instant(2)).expect("nothing waits");
    journal.append(Instant(3), RX).expect("good");
    journal.send_barrier(Instant(3)).expect_err("no power");
    disk.cut_power();
    assert_eq!(open(&disk, Limits::default()).1.records().count(), 1);
}

#[test]
fn written_out_records_survive_a_crash_of_the_program() {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits::default());
    journal.begin("r1", &[], Instant(0)).expect("a good session");
    journal.append(Instant(1), RX).expect("good");
    journal.write_out();
    journal.append(Instant(2), RX).expect("good");
    drop(journal);
    assert_eq!(open(&disk, Limits::default()).1.records().count(), 1);
}

#[test]
fn a_full_disk_is_tried_again_and_nothing_is_lost() {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits::default());
    journal.begin("r1", &[], Instant(0)).expect("a good session");
    let mut now = Instant(0);
    disk.limit_free(Some(20));
    for round in 0..4 {
        now = now.after(RETRY_AFTER);
        journal.append(now, RX).expect("there is room in the buffer");
        let error = journal.flush(now).expect_err("full");
        assert_eq!(error.kind, ErrorKind::StorageFull, "{error}");
        assert_eq!(journal.status().failing, Some(error), "round {round}");
        assert_eq!(journal.flush_due(), Some(now.after(RETRY_AFTER)));
    }
    disk.limit_free(None);
    journal.flush(now.after(Duration::from_secs(1))).expect_err("not tried yet");
    journal.flush(now.after(RETRY_AFTER)).expect("room again");
    assert_eq!((journal.status().failing, journal.status().waiting), (None, 0));
    let (_, recovered) = open(&disk, Limits::default());
    assert_eq!((recovered.records().count(), recovered.damage.total), (4, 0));
}

#[test]
fn records_that_do_not_fit_are_given_up_and_counted_and_leave_a_gap() {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits { buffer: 100, ..Limits::default() });
    journal.begin("r1", &[], Instant(0)).expect("a good session");
    disk.limit_free(Some(0));
    let results: Vec<_> = (1..=6).map(|at| journal.append(Instant(at), RX)).collect();
    for (i, result) in results.iter().enumerate() {
        let stamp = Stamp { seq: i as u64 + 1, at: Instant(i as u64 + 1) };
        let expected = if i < 4 { Ok(stamp) } else { Err(AppendError::GivenUp(stamp)) };
        assert_eq!(result, &expected);
    }
    assert_eq!(journal.status().given_up, 2);
    disk.limit_free(None);
    journal.flush(Instant(10)).expect("room again");
    journal.append(Instant(11), RX).expect("room again");
    journal.flush(Instant(12)).expect("room again");
    let (_, recovered) = open(&disk, Limits::default());
    assert_eq!(recovered.records().map(|record| record.seq).collect::<Vec<_>>(), [1, 2, 3, 4, 7]);
    assert_eq!(recovered.damage.described[0].harm, Harm::Gap { expected: 5, found: 7 });
}

#[test]
fn a_session_that_cannot_begin_on_the_disk_begins_all_the_same() {
    let disk = FakeDisk::new(0);
    let limits = Limits { total: 1, ..Limits::default() };
    let (mut journal, _) = open(&disk, limits);
    journal.begin("r1", &[], Instant(0)).expect("a good session");
    journal.append(Instant(1), RX).expect("good");
    journal.flush(Instant(1)).expect("the disk is fine");
    disk.limit_free(Some(60));
    journal.begin("r2", &[], Instant(2)).expect("a good session");
    assert_eq!(journal.status().failing.expect("full").doing, "beginning");
    journal.append(Instant(3), out(1, "{}")).expect("good");
    journal.send_barrier(Instant(3)).expect("the old file has room");
    disk.limit_free(None);
    let due = journal.flush_due().expect("to be tried again");
    journal.flush(due).expect("room again");
    assert_eq!(journal.status().failing, None);
    assert_eq!(journal_files(&disk), ["00000001-r1.journal", "00000002-r2.journal"], "a file with records of r2 stays");
    let (journal, recovered) = open(&disk, limits);
    assert_eq!((recovered.session(), recovered.records().count(), recovered.damage.total), (Some("r2"), 2, 0));
    assert_eq!(journal.standing().next_out(Audience::Live), 2);
}

#[test]
fn files_have_a_size_and_the_session_that_goes_on_is_never_deleted() {
    let disk = FakeDisk::new(0);
    let limits = Limits { file: 1000, total: 4000, ..Limits::default() };
    let (mut journal, _) = open(&disk, limits);
    let mut live = 0;
    for session in ["r1", "r2", "r3"] {
        journal.begin(session, &[("driver", "dgt")], Instant(live)).expect("a good session");
        journal.append(Instant(live), Body::Boot("{}")).expect("good");
        for _ in 0..80 {
            live += 1;
            assert_eq!(journal.standing().next_out(Audience::Live), live);
            journal.append(Instant(live), out(live, r#"{"a":"some payload"}"#)).expect("good");
            journal.append(Instant(live), Body::Ack { sink: "mqtt", audience: Audience::Live, number: live - 1 }).expect("good");
            journal.flush(Instant(live)).expect("the disk is fine");
        }
    }
    let status = journal.status();
    assert!(status.over_cap && status.deleted > 10, "{status:?}");
    let files = disk.files();
    assert!(files.keys().all(|name| name.ends_with("-r3.journal")) && files.len() > 4, "{:?}", files.keys());
    assert!(files.values().all(|text| text.len() < 1200));
    // Only the records of the old files are lost.
    let standing = journal.standing().clone();
    let (journal, recovered) = open(&disk, limits);
    assert_eq!((&recovered.standing, journal.standing()), (&standing, &standing));
    assert_eq!((recovered.damage.total, recovered.standing.boots), (0, 3));
    assert_eq!(recovered.standing.acked("mqtt", Audience::Live), 239);
    assert_eq!(recovered.session_records().count(), 161);
    assert_eq!(lines(recovered.session_records()), lines(recovered.records()));
    assert!(files.values().all(|text| Trace::new(text).expect("good header").records().all(|record| record.is_ok())));
}

#[test]
fn numbers_survive_when_only_a_header_is_left() {
    let disk = FakeDisk::new(0);
    let limits = Limits { total: 1, ..Limits::default() };
    let (mut journal, _) = open(&disk, limits);
    journal.begin("r1", &[], Instant(0)).expect("a good session");
    journal.append(Instant(7), Body::Boot("{}")).expect("good");
    journal.append(Instant(8), out(1, "{}")).expect("good");
    journal.append(Instant(9), Body::Ack { sink: "pgn", audience: Audience::Public, number: 5 }).expect("good");
    journal.begin("r2", &[], Instant(10)).expect("a good session");
    assert_eq!(journal_files(&disk), ["00000002-r2.journal"]);
    let (journal, recovered) = open(&disk, limits);
    assert_eq!(recovered.records().count(), 0);
    let standing = journal.standing();
    assert_eq!((standing.next_seq, standing.last_at, standing.boots), (4, Instant(9), 1));
    assert_eq!((standing.next_out(Audience::Live), standing.acked("pgn", Audience::Public)), (2, 5));
}

/// Old files are only deleted when the new header is on the disk.
#[test]
fn numbers_survive_a_power_cut_right_after_old_files_were_deleted() {
    for seed in 0..100 {
        let disk = FakeDisk::new(seed);
        let limits = Limits { total: 1, ..Limits::default() };
        let (mut journal, _) = open(&disk, limits);
        journal.begin("r1", &[], Instant(0)).expect("a good session");
        journal.append(Instant(8), out(1, "{}")).expect("good");
        journal.begin("r2", &[], Instant(10)).expect("a good session");
        assert_eq!(journal_files(&disk), ["00000002-r2.journal"]);
        disk.cut_power();
        let (journal, _) = open(&disk, limits);
        assert_eq!((journal.standing().next_seq, journal.standing().next_out(Audience::Live)), (2, 2), "seed {seed}");
    }
}

#[test]
fn a_restart_goes_on_in_the_same_session() {
    let disk = FakeDisk::new(0);
    for round in 1..=3 {
        let (mut journal, recovered) = open(&disk, Limits::default());
        assert_eq!(recovered.session(), (round > 1).then_some("r1"));
        journal.begin("r1", &[("driver", "dgt")], Instant(0)).expect("a good session");
        journal.append(Instant(0), Body::Boot("{}")).expect("good");
        journal.flush(Instant(0)).expect("the disk is fine");
        assert_eq!(journal.standing().boots, round);
        assert_eq!(journal_files(&disk), ["00000001-r1.journal"]);
    }
}

#[test]
fn a_disk_that_cannot_be_repaired_gets_a_new_file() {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits::default());
    journal.append(Instant(1), RX).expect("good");
    journal.flush(Instant(1)).expect("the disk is fine");
    let mut text = disk.files()["00000001-start.journal"].clone();
    text.extend(b"2 2 rx 0");
    disk.put_file("00000001-start.journal", &text);
    disk.fail_power_after(Some(0));
    let (mut journal, recovered) = open(&disk, Limits::default());
    assert!(matches!(recovered.damage.described[0].harm, Harm::CannotRepair(_)), "{:?}", recovered.damage);
    disk.fail_power_after(None);
    journal.append(Instant(2), RX).expect("good");
    journal.flush(Instant(2)).expect("the disk is fine");
    assert_eq!(journal_files(&disk), ["00000001-start.journal", "00000002-start.journal"]);
    let (_, recovered) = open(&disk, Limits::default());
    assert_eq!(recovered.records().map(|record| record.seq).collect::<Vec<_>>(), [1, 2]);
    assert!(matches!(recovered.damage.described[..], [ref damage] if matches!(damage.harm, Harm::Unreadable { .. })));
}

#[test]
fn a_refused_record_uses_no_number() {
    let (mut journal, _) = open(&FakeDisk::new(0), Limits::default());
    let refused = |result: Result<Stamp, AppendError>| match result.expect_err("refused") {
        AppendError::Line(error) => Some(error.fault),
        AppendError::TooManySinks => None,
        AppendError::GivenUp(_) => panic!("the buffer is empty"),
    };
    assert_eq!(refused(journal.append(Instant(1), Body::Cmd("a\nb"))), Some(LineFault::Control));
    for sink in 0..MAX_SINKS {
        let sink = format!("sink{sink}");
        journal.append(Instant(1), Body::Ack { sink: &sink, audience: Audience::Live, number: 0 }).expect("room");
    }
    assert_eq!(refused(journal.append(Instant(1), Body::Ack { sink: "more", audience: Audience::Live, number: 0 })), None);
    assert_eq!(journal.append(Instant(1), RX).expect("good").seq, MAX_SINKS as u64 + 1);
    // All sinks fit into a header.
    journal.begin("next", &[], Instant(2)).expect("a good session");
    assert_eq!(journal.status().failing, None);
}

#[test]
fn times_never_fall() {
    let (mut journal, _) = open(&FakeDisk::new(0), Limits::default());
    let times = [5, 9, 7, 9, 10].map(|at| journal.append(Instant(at), RX).expect("good").at.micros());
    assert_eq!((times, journal.status().late), ([5, 9, 9, 9, 10], 1));
}

#[test]
fn sessions_have_plain_names_and_few_headers() {
    let (mut journal, _) = open(&FakeDisk::new(0), Limits::default());
    let begin = |journal: &mut Journal, name: &str, headers: &[(&str, &str)]| journal.begin(name, headers, Instant(0));
    for name in ["", "R1", "a/b", "..", "a b", "ä", &"x".repeat(65)] {
        assert_eq!(begin(&mut journal, name, &[]), Err(BeginError::Name), "{name}");
    }
    for headers in [&[("carry", "x")][..], &[("session", "x")], &[("ack", "x")], &[("a", "b"); 17]] {
        assert_eq!(begin(&mut journal, "r1", headers), Err(BeginError::Headers));
    }
    assert!(matches!(begin(&mut journal, "r1", &[("name", "a\nb")]), Err(BeginError::Line(_))));
    assert_eq!(begin(&mut journal, &"x".repeat(64), &[("a", "b"); 16]), Ok(()));
}

#[test]
fn while_the_disk_is_full_there_is_time_between_two_tries() {
    let disk = FakeDisk::new(0);
    let (mut journal, _) = open(&disk, Limits { total: 1, ..Limits::default() });
    journal.begin("r1", &[], Instant(0)).expect("a good session");
    journal.append(Instant(1), RX).expect("good");
    journal.share(Arc::default(), Instant(1));
    disk.limit_free(Some(0));
    journal.begin("r2", &[], Instant(2)).expect("a good session");
    let mut now = Instant(2);
    for _ in 0..4 {
        journal.append(now, RX).expect("there is room in the buffer");
        journal.hand_over(now);
        let due = journal.flush_due().expect("it is tried again");
        assert!(due > now, "{due:?}");
        now = due;
    }
}
