//! The commit log, one sync for all boards: all committed records are there after a power cut, at every byte and step of the log.

use std::io;
use std::sync::Arc;

use flagfall::journal::commit_log::{self, CommitLog, WrittenBack};
use flagfall::journal::{Disk, Journal, JournalFs, Keep, Limits, Unsynced, read};
use flagfall::wire::topics::is_id;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, FORMAT, print_header};

use crate::support::fake_disk::{FakeDisk, lines, open};

const BOARDS: [&str; 2] = ["b1", "b2"];

fn log_of(disk: &FakeDisk, most: u64) -> CommitLog {
    CommitLog::open(Box::new(disk.folder(commit_log::FOLDER)), most).expect("a folder")
}

fn recover(disk: &FakeDisk) -> WrittenBack {
    let mut folder = disk.folder(commit_log::FOLDER);
    let journal = |board: &str| -> io::Result<Option<Box<dyn JournalFs>>> { Ok(Some(Box::new(disk.folder(board)))) };
    commit_log::recover(&mut folder, &mut { journal }).expect("the folder can be read")
}

/// A board whose journal is shared with a log.
struct Board {
    name: &'static str,
    journal: Journal,
    unsynced: Arc<Unsynced>,
}

impl Board {
    fn open(disk: &FakeDisk, name: &'static str) -> Board {
        let (mut journal, _) = open(&disk.folder(name), Limits::default());
        journal.begin("s", &[("driver", "dgt")], Instant::ZERO).expect("a session");
        let unsynced = Arc::<Unsynced>::default();
        journal.share(Arc::clone(&unsynced), Instant::ZERO);
        Board { name, journal, unsynced }
    }

    fn both(disk: &FakeDisk) -> [Board; 2] {
        BOARDS.map(|name| Board::open(disk, name))
    }

    /// Appends a few records of different lengths and hands them over.
    fn write(&mut self, round: u64) {
        for number in 0..=round % 3 {
            let text = "x".repeat((7 * round + 5 * number) as usize % 40 + 1);
            self.journal.append(Instant(round), Body::Boot(&text)).expect("room");
        }
        self.journal.hand_over(Instant(round));
    }

    fn durable(&mut self) -> u64 {
        self.journal.check_disk(Instant::ZERO);
        self.journal.durable_seq()
    }
}

fn commit(log: &mut CommitLog, boards: &[Board]) {
    log.commit(boards.iter().map(|board| (board.name, &*board.unsynced)));
}

fn records(disk: &FakeDisk, board: &str) -> Vec<String> {
    // Reading does not wait for the disk, while opening does.
    lines(read(&mut disk.folder(board)).expect("readable").records())
}

/// The log and both journals after ten turns.
fn ten_turns(disk: &FakeDisk) -> (CommitLog, [Board; 2]) {
    let mut boards = Board::both(disk);
    let mut log = log_of(disk, commit_log::MAX_LOG);
    for round in 1..=10 {
        boards[0].write(round);
        if round % 2 == 0 {
            boards[1].write(round + 1);
        }
        commit(&mut log, &boards);
    }
    (log, boards)
}

#[test]
fn no_board_has_the_id_of_the_folder() {
    assert!(!is_id(commit_log::FOLDER));
}

#[test]
fn a_flush_for_all_boards_is_one_wait_for_the_disk() {
    let disk = FakeDisk::new(0);
    let (_, mut boards) = ten_turns(&disk);
    let taken = boards.each_ref().map(|board| board.journal.standing().next_seq - 1);
    assert_eq!(boards.each_mut().map(Board::durable), taken);
    // The journals' own files had no sync.
    let whole = BOARDS.map(|board| records(&disk, board));
    drop(boards);
    disk.forget_unsynced();
    let lost = BOARDS.map(|board| disk.folder(board).files().values().map(Vec::len).sum::<usize>());
    let done = recover(&disk);
    assert_eq!((done.files, &done.problems[..], &done.left_alone[..]), (2, &[][..], &[][..]), "{lost:?}");
    assert_eq!(BOARDS.map(|board| records(&disk, board)), whole);
    assert_eq!(disk.folder(commit_log::FOLDER).files().len(), 0, "the log is gone");
}

/// A log that is cut at any byte gives back exactly the turns that it has completely.
#[test]
fn a_log_that_ends_at_any_byte_gives_back_what_it_holds() {
    let whole = FakeDisk::new(0);
    let (_, boards) = ten_turns(&whole);
    drop(boards);
    let all = BOARDS.map(|board| records(&whole, board));
    let logs = whole.folder(commit_log::FOLDER).files();
    let (name, log) = logs.first_key_value().expect("a log");
    whole.forget_unsynced();
    let bare = BOARDS.map(|board| whole.folder(board).files());
    let mut most = [0, 0];
    for end in 0..=log.len() {
        let disk = FakeDisk::new(0);
        BOARDS
            .iter()
            .zip(&bare)
            .for_each(|(board, files)| files.iter().for_each(|(name, text)| disk.folder(board).put_file(name, text)));
        disk.folder(commit_log::FOLDER).put_file(name, &log[..end]);
        let done = recover(&disk);
        assert_eq!((&done.problems[..], &done.left_alone[..]), (&[][..], &[][..]), "byte {end}");
        let found = BOARDS.map(|board| records(&disk, board));
        for ((found, all), most) in found.iter().zip(&all).zip(&mut most) {
            assert!(all.starts_with(found), "byte {end}: {found:?}");
            assert!(found.len() >= *most, "byte {end}: a longer log gives back at least as much");
            *most = found.len();
        }
        assert!(end > 0 || most == [0, 0], "without the log there are no records");
    }
    assert_eq!(most, all.map(|all| all.len()));
}

/// If a sector of the log is missing or damaged, the other turns come back as far as the files have no gap.
#[test]
fn a_torn_sector_of_the_log_costs_what_it_held() {
    const SECTOR: usize = 64;
    let whole = FakeDisk::new(0);
    drop(ten_turns(&whole).1);
    let all = BOARDS.map(|board| records(&whole, board));
    let logs = whole.folder(commit_log::FOLDER).files();
    let (name, log) = logs.first_key_value().expect("a log");
    whole.forget_unsynced();
    let bare = BOARDS.map(|board| whole.folder(board).files());
    for start in (0..log.len()).step_by(SECTOR) {
        let disk = FakeDisk::new(0);
        BOARDS
            .iter()
            .zip(&bare)
            .for_each(|(board, files)| files.iter().for_each(|(name, text)| disk.folder(board).put_file(name, text)));
        let mut torn = log.clone();
        torn[start..(start + SECTOR).min(log.len())].fill(0);
        disk.folder(commit_log::FOLDER).put_file(name, &torn);
        let done = recover(&disk);
        assert_eq!(done.problems.len(), 0, "byte {start}");
        for (board, all) in BOARDS.iter().zip(&all) {
            let found = records(&disk, board);
            assert!(all.starts_with(&found), "byte {start}: {found:?}");
        }
        assert!(start == 0 || done.damaged > 0, "byte {start}");
    }
}

/// The power fails at every step of the change from one log to the next.
#[test]
fn a_power_cut_at_any_step_of_the_turn_over_loses_nothing_that_was_answered_for() {
    let mut steps = 0;
    for power in 0.. {
        let mut reached = true;
        for seed in 0..20 {
            let disk = FakeDisk::new(seed);
            let mut boards = Board::both(&disk);
            let mut log = log_of(&disk, 1);
            for round in 1..=3 {
                boards.iter_mut().for_each(|board| board.write(round));
                commit(&mut log, &boards);
            }
            boards.iter_mut().for_each(|board| board.write(4));
            // Here every turn begins a new log.
            disk.fail_power_after(Some(power));
            commit(&mut log, &boards);
            let answered = boards.each_mut().map(Board::durable);
            reached &= disk.has_power();
            drop((log, boards));
            disk.cut_power();
            let done = recover(&disk);
            assert_eq!((&done.problems[..], &done.left_alone[..]), (&[][..], &[][..]), "{power} changes, seed {seed}");
            let found = BOARDS.map(|board| records(&disk, board).len() as u64);
            assert!(found.iter().zip(answered).all(|(found, answered)| *found >= answered), "{power}, seed {seed}: {found:?}");
        }
        if reached {
            break;
        }
        steps += 1;
    }
    assert!(steps >= 8, "only {steps} steps");
}

/// A log that is still there although its journals have had a sync, or although another version of this program has continued them.
#[test]
fn a_stale_log_changes_no_newer_file() {
    for new_file in [false, true] {
        let disk = FakeDisk::new(0);
        drop(ten_turns(&disk).1);
        disk.forget_unsynced();
        // A version without the log continues with the files that it finds.
        let (mut journal, recovered) = open(&disk.folder("b1"), Limits::default());
        assert_eq!(recovered.records().count(), 0);
        if new_file {
            journal.begin("t", &[], Instant(50)).expect("a session");
        }
        journal.append(Instant(60), Body::Boot("from the version before")).expect("room");
        journal.flush(Instant(60)).expect("the disk is fine");
        drop(journal);
        let before = records(&disk, "b1");
        assert_eq!(before.len(), 1);
        let done = recover(&disk);
        assert_eq!((done.problems.len(), done.left_alone.len()), (0, 1), "{done:?}");
        assert_eq!(records(&disk, "b1"), before);
        assert!(records(&disk, "b2").len() > 4, "the other journal has the records of the log");
    }
}

/// A file without records that was removed is there again after a power cut: its head has a number that the file before it has long
/// passed.
#[test]
fn a_file_without_records_does_not_end_the_one_before() {
    let disk = FakeDisk::new(0);
    drop(ten_turns(&disk).1);
    let whole = records(&disk, "b1");
    disk.forget_unsynced();
    let mut head = format!("{FORMAT}\n");
    print_header("session", "t", &mut head).expect("a line");
    print_header("carry", "next 1 at 0 boots 0 arbiter 0 live 0 public 0", &mut head).expect("a line");
    disk.folder("b1").put_file("00000002-t.journal", head.as_bytes());
    assert_eq!(recover(&disk).left_alone.len(), 0);
    assert_eq!(records(&disk, "b1"), whole);
}

#[test]
fn a_log_that_cannot_be_written_is_no_loss() {
    let disk = FakeDisk::new(0);
    let mut boards = Board::both(&disk);
    for mut log in [CommitLog::without(), log_of(&disk, 1)] {
        for round in 1..=5 {
            boards.iter_mut().for_each(|board| board.write(round));
            // A new log cannot begin, so the journals are synced themselves.
            disk.refuse(Some(format!("{}/", commit_log::FOLDER)));
            commit(&mut log, &boards);
            disk.refuse(None);
            assert_eq!(disk.folder(commit_log::FOLDER).files().len(), 0, "there is no log");
            let taken = boards.each_ref().map(|board| board.journal.standing().next_seq - 1);
            assert_eq!(boards.each_mut().map(Board::durable), taken);
        }
    }
    let whole = BOARDS.map(|board| records(&disk, board));
    drop(boards);
    disk.forget_unsynced();
    assert_eq!(recover(&disk), WrittenBack::default());
    assert_eq!(BOARDS.map(|board| records(&disk, board)), whole);
}

/// After a failed sync a file can be read, but it is not on the disk: the log stays, and the next start writes all of it again.
#[test]
fn pages_that_a_failed_wait_has_dropped_come_back() {
    let disk = FakeDisk::new(0);
    let (log, boards) = ten_turns(&disk);
    let whole = BOARDS.map(|board| records(&disk, board));
    drop(boards);
    disk.folder("b1").drop_pages();
    assert!(log.close().is_err(), "the log stays");
    // The program is started again, without a power cut.
    assert_eq!(recover(&disk).problems.len(), 0);
    disk.forget_unsynced();
    assert_eq!(BOARDS.map(|board| records(&disk, board)), whole);
}

/// A sync has failed and the owner does not know it yet: a sync of later bytes proves nothing about the earlier ones.
#[test]
fn later_bytes_do_not_make_failed_ones_good() {
    let disk = FakeDisk::new(0);
    let mut boards = [Board::open(&disk, "b1")];
    let mut log = log_of(&disk, commit_log::MAX_LOG);
    let before = boards[0].durable();
    boards[0].write(1);
    disk.folder("b1").drop_pages();
    disk.refuse(Some(format!("{}/", commit_log::FOLDER)));
    commit(&mut log, &boards);
    disk.refuse(None);
    boards[0].write(2);
    commit(&mut log, &boards);
    assert_eq!(disk.folder(commit_log::FOLDER).files().len(), 0, "the log does not get the bytes either");
    assert_eq!(boards[0].durable(), before);
    // Two seconds later all bytes are written again.
    let taken = boards[0].journal.standing().next_seq - 1;
    assert!(boards[0].journal.hand_over(Instant(3_000_000)));
    commit(&mut log, &boards);
    assert_eq!(boards[0].durable(), taken);
    drop(boards);
    disk.forget_unsynced();
    assert_eq!(recover(&disk).left_alone.len(), 0);
    assert_eq!(records(&disk, "b1").len() as u64, taken);
}

/// A failed write is truncated and repeated, but not the bytes that the other thread has committed meanwhile.
#[test]
fn committed_bytes_are_not_taken_back() {
    for seed in 0..50 {
        let disk = FakeDisk::new(seed);
        let mut boards = [Board::open(&disk, "b1")];
        boards[0].write(2);
        let answered = boards[0].journal.standing().next_seq - 1;
        disk.refuse(Some("b1/".to_owned()));
        boards[0].write(3);
        disk.refuse(None);
        commit(&mut CommitLog::without(), &boards);
        boards[0].journal.hand_over(Instant(3_000_000));
        assert_eq!(boards[0].durable(), answered);
        drop(boards);
        disk.cut_power();
        assert!(records(&disk, "b1").len() as u64 >= answered, "seed {seed}");
    }
}

/// After a clean stop there is no log, and every journal is complete for a version without the log.
#[test]
fn after_a_clean_stop_the_version_before_opens_the_journals() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = |name: &str| Disk::open(&dir.path().join(name)).expect("a folder");
    let mut log = CommitLog::open(Box::new(folder(commit_log::FOLDER)), commit_log::MAX_LOG).expect("a log");
    let mut boards = BOARDS.map(|name| {
        let (mut journal, _) = Journal::open(Box::new(folder(name)), Limits::default(), Keep::All).expect("opens");
        journal.begin("s", &[], Instant::ZERO).expect("a session");
        let unsynced = Arc::<Unsynced>::default();
        journal.share(Arc::clone(&unsynced), Instant::ZERO);
        Board { name, journal, unsynced }
    });
    boards.iter_mut().for_each(|board| board.write(2));
    commit(&mut log, &boards);
    let logs = || std::fs::read_dir(dir.path().join(commit_log::FOLDER)).expect("a folder").count();
    assert_eq!(logs(), 2, "the lock and a log");
    log.close().expect("the disk is fine");
    assert_eq!(logs(), 1, "the lock");
    let taken = boards.each_ref().map(|board| board.journal.standing().next_seq - 1);
    drop(boards);
    for (name, taken) in BOARDS.into_iter().zip(taken) {
        let (_, recovered) = Journal::open(Box::new(folder(name)), Limits::default(), Keep::All).expect("opens");
        assert_eq!((recovered.records().count() as u64, recovered.damage.total), (taken, 0));
    }
}
