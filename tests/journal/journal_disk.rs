//! The journal on a real disk: the lock, and as many records as in a whole event.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;

use flagfall::journal::commit_log::CommitLog;
use flagfall::journal::{Disk, Journal, JournalFs, Keep, Limits, OpenError, Unsynced, read};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Audience, Body};

use crate::support::fake_disk::lines;

fn open_in(dir: &std::path::Path) -> Result<(Journal, flagfall::journal::Recovered), OpenError> {
    Journal::open(Box::new(Disk::open(dir)?), Limits::default(), Keep::All)
}

#[test]
fn one_process_holds_the_journal_and_another_gets_its_name() {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let dir = parent.path().join("stations/b12");
    let held = open_in(&dir).expect("free");
    let error = open_in(&dir).map(drop).expect_err("held");
    let message = error.to_string();
    assert!(matches!(error, OpenError::Locked { .. }), "{message}");
    assert!(message.contains("stations/b12") && message.contains(&format!("process {}", std::process::id())), "{message}");
    assert!(read(&mut Disk::reading(&dir)).is_ok(), "reading needs no lock");
    drop(held);
    open_in(&dir).expect("free again");
}

/// What arbiters see is in the files, whatever the umask was when they were made.
#[test]
fn only_the_owner_may_read_a_journal() {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let dir = parent.path().join("b12");
    let modes = || {
        let files = std::fs::read_dir(&dir).expect("a folder").map(|entry| entry.expect("an entry"));
        let mode = |entry: std::fs::DirEntry| entry.metadata().expect("it is there").permissions().mode() & 0o777;
        files.map(mode).collect::<BTreeSet<u32>>()
    };
    let open = || {
        let mut disk = Disk::open(&dir).expect("free");
        if disk.list().expect("names").len() < 2 {
            disk.create("a.log").expect("made");
        }
        disk.append("a.log", b"x").expect("written");
    };
    open();
    assert_eq!(modes(), [0o600].into());
    // An earlier version made them for all.
    for entry in std::fs::read_dir(&dir).expect("a folder") {
        std::fs::set_permissions(entry.expect("an entry").path(), Permissions::from_mode(0o644)).expect("a mode");
    }
    open();
    assert_eq!(modes(), [0o600].into());
}

/// Programs that start while a journal is open have a copy of its lock for a short time; its next owner must not find it held.
#[test]
fn a_program_that_starts_meanwhile_does_not_keep_the_lock() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let over = AtomicBool::new(false);
    let (began, begun) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let ended = Command::new("true").stdin(Stdio::null()).status().expect("a program");
                assert!(ended.success());
                _ = began.try_send(());
            }
        });
        begun.recv().expect("it runs");
        let held = (0..2_000).filter(|_| Disk::open(dir.path()).is_err()).count();
        over.store(true, Ordering::Relaxed);
        assert_eq!(held, 0);
    });
}

#[test]
fn a_directory_that_cannot_be_made_is_an_error() {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let file = parent.path().join("file");
    std::fs::write(&file, "x").expect("can be written");
    let error = open_in(&file.join("journal")).map(drop).expect_err("not a directory");
    assert!(matches!(error, OpenError::Io { .. }), "{error}");
}

#[test]
fn twenty_thousand_records_are_read_back_and_a_torn_tail_is_cut() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (mut journal, _) = open_in(dir.path()).expect("free");
    journal.begin("r1-b12", &[("driver", "dgt"), ("program", "0.1.0")], Instant(0)).expect("a good session");
    for i in 1..=20_000_u64 {
        let at = Instant(i * 50_000);
        let body = match i % 10 {
            0 => Body::Out {
                number: i / 10,
                audience: Audience::Live,
                topic: "open26/5/12/clock",
                retain: true,
                payload: r#"{"v":"1.0","type":"board.clock","body":{"white_ms":5391000,"black_ms":5400000,"running":"white"}}"#,
            },
            _ => Body::Rx { link: 0, channel: 0, bytes: Cow::Borrowed(&[0x8d, 0x00, 0x0a, 1, 2, 3, 4, 5, 6, 7]) },
        };
        journal.append(at, body).expect("good");
        if i % 1000 == 0 {
            journal.flush(at).expect("the disk is fine");
        }
    }
    drop(journal);
    let name = dir.path().join("00000001-r1-b12.journal");
    let whole = std::fs::read(&name).expect("there");
    std::fs::write(&name, &whole[..whole.len() - 3]).expect("can be written");
    let before = read(&mut Disk::reading(dir.path())).expect("readable");
    let (mut journal, recovered) = open_in(dir.path()).expect("free");
    assert_eq!(recovered.records().count(), 19_999);
    assert_eq!((recovered.standing.next_out(Audience::Live), recovered.damage.total), (2000, 1));
    assert!(before.records().eq(recovered.records()));
    journal.append(Instant(0), Body::Boot("{}")).expect("good");
    journal.flush(Instant(0)).expect("the disk is fine");
    drop(journal);
    let (_, again) = open_in(dir.path()).expect("free");
    assert_eq!((again.records().count(), again.damage.total), (20_000, 0));
    assert!(lines(again.records()).last().expect("records").starts_with("20000 999950000 boot {} *"));
}

#[test]
fn records_that_another_thread_has_not_synced_stay_in_the_buffer() {
    let dir = tempfile::tempdir().expect("a directory");
    let (mut journal, _) = open_in(dir.path()).expect("a new journal");
    let at = |ms: u64| Instant(ms * 1000);
    let mark = || Body::Boot("{}");
    journal.begin("s", &[], at(0)).expect("a session");
    let unsynced = Arc::<Unsynced>::default();
    journal.share(Arc::clone(&unsynced), at(0));
    assert!(!journal.hand_over(at(0)), "there is nothing to sync");
    journal.append(at(0), mark()).expect("room");
    assert!(journal.hand_over(at(0)), "the other thread has work");
    journal.append(at(600), mark()).expect("room");
    assert!(!journal.hand_over(at(600)), "the other thread already has the work");
    assert_eq!((journal.flush_due(), journal.durable_seq()), (None, 0));
    CommitLog::without().commit([("b1", &*unsynced)]);
    journal.append(at(700), mark()).expect("room");
    journal.check_disk(at(700));
    assert_eq!(journal.durable_seq(), 2, "the third was appended later");
    assert!(journal.hand_over(at(700)));
    CommitLog::without().commit([("b1", &*unsynced)]);
    journal.check_disk(at(800));
    assert_eq!((journal.durable_seq(), journal.status().waiting), (3, 0));
}

/// Nobody reads a pipe with the name of a journal file: what was written there would be lost, and opening it would never end.
#[test]
fn a_pipe_is_no_journal_file() {
    for name in ["lock", "00000001.journal"] {
        let folder = tempfile::tempdir().expect("a folder");
        let made = Command::new("mkfifo").arg(folder.path().join(name)).status().expect("mkfifo is there");
        assert!(made.success());
        let refused = match Disk::open(folder.path()) {
            Err(OpenError::Io { error, .. }) => error.to_string(),
            Err(other) => panic!("{other}"),
            Ok(mut disk) => {
                let appended = disk.append(name, b"x").expect_err("a pipe").to_string();
                assert_eq!(disk.create(name).expect_err("a pipe").to_string(), appended);
                assert_eq!(disk.write_at(name, 0, b"x").expect_err("a pipe").to_string(), appended);
                appended
            }
        };
        assert!(refused.contains("is a pipe, a device or a socket, and no file"), "{name}: {refused}");
    }
}
