//! `flagfall emulate` as a process: its output, and the board at its path.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::Duration;

use flagfall::system_clock::monotonic;
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;
use flagfall_protocols::drivers::dgt_bus::frame::{Command as Question, encode_reply};
use serde_json::Value;

const BOUND: Duration = Duration::from_secs(15);
const DUMP: usize = 67;

/// The program; it is killed if a test fails before it ends.
struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Program {
    fn start(arguments: &[&str]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
        let command = command.arg("emulate").args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let out = BufReader::new(child.stdout.take().expect("piped"));
        Program { child, out }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    fn json(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("`{line}`: {error}"))
    }

    /// Waits for the end of the program; returns its exit status and the rest of its output.
    fn end(mut self) -> (ExitStatus, String) {
        let output = std::io::read_to_string(&mut self.out).expect("text");
        (self.child.wait().expect("ended"), output)
    }

    fn terminate(&self) {
        let mut kill = Command::new("sh");
        let kill = kill.args(["-c", &format!("kill -TERM {}", self.child.id())]).status();
        assert!(kill.expect("sh").success());
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It has usually ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ask_board(path: &Path) -> Vec<u8> {
    let mut host = Pty::open(path).expect("the path opens");
    host.write(&[0x42]).expect("written");
    let all = listen(&mut host, BOUND, DUMP);
    assert!(all.len() >= DUMP, "only {} bytes came", all.len());
    all
}

/// Reads until there are `enough` bytes or `long` has passed.
fn listen(host: &mut Pty, long: Duration, enough: usize) -> Vec<u8> {
    let (began, mut all, mut buffer) = (monotonic(), Vec::new(), [0; 256]);
    while all.len() < enough && monotonic().since(began) < long {
        match host.read(&mut buffer, Duration::from_millis(50)) {
            Ok(count) => all.extend_from_slice(&buffer[..count]),
            Err(LinkError::TimedOut) => {}
            Err(error) => panic!("{error}"),
        }
    }
    all
}

#[test]
fn a_board_answers_and_ends_at_a_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("board");
    let mut program = Program::start(&["--idle", "--json", "--serial", "77", "--link", link.to_str().expect("text")]);
    let ready = program.json();
    assert_eq!((&ready["event"], &ready["serial"], &ready["link"]), (&"ready".into(), &77.into(), &link.to_str().into()));
    let path = PathBuf::from(ready["path"].as_str().expect("a path"));
    let dump = ask_board(&path);
    assert_eq!((dump.len(), &dump[..7]), (DUMP, &[0x86, 0, 67, 8, 9, 10, 12][..]));
    assert_eq!(ask_board(&link), dump);
    program.terminate();
    assert_eq!(program.json()["event"], "ended");
    assert!(program.end().0.success());
    assert!(std::fs::symlink_metadata(&link).is_err(), "the link is taken away");
}

/// A board that was closed is noticed by the runtime in another way than one that was never opened.
#[test]
fn three_boards_answer_with_one_thread() {
    let folder = tempfile::tempdir().expect("a folder");
    let (link, sent) = (folder.path().join("board"), folder.path().join("sent"));
    let [at, log] = [&link, &sent].map(|path| path.to_str().expect("text"));
    let mut program = Program::start(&["--idle", "--json", "--serial", "77", "--boards", "3", "--link", at, "--sent", log]);
    let links = ["board-1", "board-2", "board-3"].map(|name| folder.path().join(name));
    for (serial, link) in (77..).zip(&links) {
        let ready = program.json();
        assert_eq!((&ready["serial"], &ready["link"]), (&serial.into(), &link.to_str().into()), "{ready}");
        assert_eq!(std::fs::read_link(link).ok().as_deref().and_then(Path::to_str), ready["path"].as_str());
    }
    for round in 0..3 {
        for (serial, link) in (77..).zip(&links) {
            let mut host = Pty::open(link).expect("opens");
            host.write(b"E").expect("written");
            let answer = [&b"\x91\0\x08"[..], format!("{serial:05}").as_bytes()].concat();
            assert_eq!(listen(&mut host, BOUND, 8), answer, "round {round}");
        }
        let threads = std::fs::read_dir(format!("/proc/{}/task", program.child.id())).expect("its threads").count();
        assert_eq!(threads, 1);
    }
    program.terminate();
    assert_eq!(program.json()["event"], "ended");
    assert!(program.end().0.success());
    assert!(links.iter().all(|link| std::fs::symlink_metadata(link).is_err()), "the links are taken away");
    let text = std::fs::read_to_string(&sent).expect("the file");
    let of = |serial: usize| text.lines().filter(|line| line.contains(&format!(" {serial} 910008"))).count();
    assert_eq!([77, 78, 79].map(of), [3; 3], "{text}");
}

/// Boards that play one game have other hands, and each script is for one board.
#[test]
fn each_board_has_hands_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let scripts = ["e2", "d2"].map(|square| {
        let file = folder.path().join(square);
        std::fs::write(&file, format!("1 lift {square}\n")).expect("written");
        file.to_str().expect("text").to_owned()
    });
    let [first, second] = scripts.each_ref().map(String::as_str);
    let arguments = ["--script", first, "--script", second, "--boards", "3", "--after", "0", "--linger", "60", "--json"];
    let mut program = Program::start(&arguments);
    let paths: Vec<PathBuf> = (0..3).map(|_| PathBuf::from(program.json()["path"].as_str().expect("a path"))).collect();
    // The scan of an idle board is not read: its squares are asked for when the hands are done.
    assert_eq!(program.json(), serde_json::json!({"event": "hands_done", "impossible": 0}));
    for (path, [king, queen]) in paths.iter().zip([[0, 1], [1, 0], [0, 1]]) {
        let dump = ask_board(path);
        let squares = &dump[dump.len() - 64..];
        assert_eq!((squares[52], squares[51]), (king, queen), "the pawns on e2 and d2");
    }
    program.terminate();
    assert!(program.end().0.success());
}

#[test]
fn the_program_ends_after_the_hands() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hands.txt");
    std::fs::write(&file, "1 run\n+1 lift e2\n+0.4 place e4\n+0.3 press left\n").expect("written");
    let script = file.to_str().expect("text");
    let mut program = Program::start(&["--script", script, "--speed", "50", "--after", "0", "--linger", "0"]);
    assert!(program.line().starts_with("board 1025 at /dev/pts/"));
    let (status, rest) = program.end();
    assert!(status.success());
    assert!(rest.starts_with("the hands are done\nended"), "{rest}");
}

#[test]
fn updates_are_lost_and_answers_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hands.txt");
    std::fs::write(&file, "1 lift e2\n+0.4 place e4\n").expect("written");
    let script = file.to_str().expect("text");
    let arguments = ["--script", script, "--after", "0", "--linger", "60", "--lose-updates", "100", "--json"];
    let mut program = Program::start(&arguments);
    let path = PathBuf::from(program.json()["path"].as_str().expect("a path"));
    let mut host = Pty::open(&path).expect("opens");
    // Report changes of squares; a board with a clock would also report that in another mode.
    host.write(&[0x44]).expect("written");
    assert_eq!(program.json()["event"], "hands_done");
    let changes = listen(&mut host, Duration::from_millis(500), DUMP);
    assert!(!changes.contains(&0x8e), "{changes:02x?}");
    host.write(&[0x42]).expect("written");
    let dump = listen(&mut host, BOUND, DUMP);
    let of = |index: usize| dump[dump.len() - 64 + index];
    assert_eq!((of(52), of(36)), (0, 1), "e2 is empty, and a pawn stands on e4");
    program.terminate();
    assert!(program.end().0.success());
}

#[test]
fn impossible_hand_motions_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hands.txt");
    let mut writing = std::fs::File::create(&file).expect("made");
    writing.write_all(b"1 lift e5\n").expect("written");
    let script = file.to_str().expect("text");
    let mut program = Program::start(&["--script", script, "--speed", "100", "--after", "0", "--linger", "0", "--json"]);
    assert_eq!(program.json()["event"], "ready");
    assert_eq!(program.json(), serde_json::json!({"event": "hands_done", "impossible": 1}));
    let errors = program.child.stderr.take().expect("piped");
    assert_eq!(program.end().0.code(), Some(1));
    assert!(std::io::read_to_string(errors).expect("text").contains("NothingThere"));
}

#[test]
fn wrong_calls_are_refused() {
    for arguments in [
        &[][..],
        &["--idle", "--game", "1"],
        &["--game", "3"],
        &["--idle", "--speed", "0"],
        &["--idle", "--serial", "65536"],
        &["--idle", "--seed", "3"],
        &["--idle", "--linger", "inf"],
        &["--idle", "--boards", "1001"],
        &["--idle", "--lose-updates", "101"],
        &["--idle", "--driver", "chesslink", "--lose-updates", "1"],
    ] {
        assert_eq!(Program::start(arguments).end().0.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(Program::start(&["--script", "/nowhere/hands.txt"]).end().0.code(), Some(1));
}

#[test]
fn a_board_of_another_family_answers() {
    let mut program = Program::start(&["--driver", "gameboard", "--idle", "--json"]);
    let path = PathBuf::from(program.json()["path"].as_str().expect("a path"));
    let mut host = Pty::open(&path).expect("opens");
    host.write(b"?e2\r?e4\r").expect("written");
    let (began, mut all, mut buffer) = (monotonic(), Vec::new(), [0; 64]);
    while all.len() < 8 {
        assert!(monotonic().since(began) < BOUND, "only {all:02x?}");
        match host.read(&mut buffer, Duration::from_millis(50)) {
            Ok(count) => all.extend_from_slice(&buffer[..count]),
            Err(LinkError::TimedOut) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(all, b"#60\r#20\r");
    program.terminate();
    assert!(program.end().0.success());
    for (arguments, reason) in [
        (&["--driver", "nobody", "--idle"][..], "no emulated board is called `nobody`"),
        (&["--driver", "square_off_neo", "--idle"], "speaks on several channels"),
        (&["--driver", "chessnut", "--idle"], "by `bluetooth`, or by `transport = \"hid\"`, in its [[board]]; emulated"),
        (&["--driver", "certabo", "--option", "x", "--idle"], "options: \"quiet\", "),
        (&["--driver", "hos", "--option", "x", "--idle"], "`hos` has no --option"),
        (&["--idle", "--boards", "2", "--serial", "65535"], "higher than 65535"),
        (&["--driver", "dgt_bus", "--idle", "--boards", "13"], "at most 12 boards"),
        (&["--driver", "dgt_bus", "--idle", "--serial", "0"], "from 1 to 16383"),
        (&["--driver", "dgt_bus", "--idle", "--serial", "16383", "--boards", "2"], "from 1 to 16383"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_flagfall")).arg("emulate").args(arguments).output().expect("it starts");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && message.contains(reason), "{message}");
    }
}

#[test]
fn a_board_has_the_serial_number_of_the_readme() {
    let mut program = Program::start(&["--idle", "--json", "--serial", "24012"]);
    let path = PathBuf::from(program.json()["path"].as_str().expect("a path"));
    let mut host = Pty::open(&path).expect("opens");
    host.write(b"E").expect("written");
    let answer = listen(&mut host, BOUND, 8);
    assert_eq!(answer, b"\x91\0\x0824012");
}

/// Real boards send a blank before the end of a frame, and foreign drivers rely on it.
#[test]
fn a_frame_of_a_certabo_board_ends_as_that_of_a_real_one() {
    for (option, end) in [("", &b" \r\n"[..]), ("no space at the end", b"0\r\n")] {
        let mut program = Program::start(&["--driver", "certabo", "--option", option, "--idle", "--json"]);
        let path = PathBuf::from(program.json()["path"].as_str().expect("a path"));
        let mut host = Pty::open(&path).expect("opens");
        let mut all = Vec::new();
        while !all.ends_with(b"\r\n") {
            all.extend(listen(&mut host, BOUND, 1));
        }
        let frames = all.split_inclusive(|byte| *byte == b'\n').filter(|frame| frame.ends_with(b"\r\n"));
        for frame in frames {
            let text = String::from_utf8_lossy(frame);
            assert_eq!(frame.ends_with(b" \r\n"), option.is_empty(), "{end:?}: {text}");
        }
    }
}

#[test]
fn a_chain_answers_on_one_path_and_sends_nothing_unasked() {
    const QUIET: Duration = Duration::from_millis(1500);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("hands.txt");
    std::fs::write(&file, "0.2 lift e2\n+0.3 place e4\n").expect("written");
    let script = file.to_str().expect("text");
    // The program stays until its last answer is read: bytes that wait in a pseudo-terminal are lost when it ends.
    let arguments = ["--driver", "dgt_bus", "--boards", "3", "--script", script, "--after", "0", "--linger", "60", "--json"];
    let mut program = Program::start(&arguments);
    let ready = program.json();
    assert_eq!((&ready["serial"], &ready["boards"]), (&1025.into(), &3.into()));
    let mut host = Pty::open(Path::new(ready["path"].as_str().expect("a path"))).expect("opens");
    assert_eq!(listen(&mut host, QUIET, 1), [0u8; 0], "the boards send nothing without a question, although a man was moved");
    let answer = |id, address, data: &[u8]| {
        let mut bytes = Vec::new();
        encode_reply(id, address, data, &mut bytes);
        bytes
    };
    // With these serial numbers the answers do not overlap.
    host.write(&[0x87, 0, 0, 7]).expect("written");
    let pings = listen(&mut host, BOUND, 18);
    let mut answers: Vec<_> = pings.chunks(6).collect();
    answers.sort_unstable();
    assert_eq!(answers, [1025, 1026, 1027].map(|address| answer(0x87, address, &[])));
    host.write(&Question::Ping.to(1028)).expect("written");
    assert_eq!(listen(&mut host, QUIET, 1), [0u8; 0], "no board has this address");
    // The hands moved at the first board; the script is done when all boards have reported their changes.
    let mut asked = |command: Question, address| {
        host.write(&command.to(address)).expect("written");
        let mut frame = listen(&mut host, BOUND, 3);
        let length = usize::from(frame[1]) << 7 | usize::from(frame[2]);
        frame.extend(listen(&mut host, BOUND, length - frame.len()));
        frame
    };
    let squares = [1025, 1026].map(|address| asked(Question::SendBoard, address));
    let differing = (5..69).filter(|&at| squares[0][at] != squares[1][at]).count();
    assert_eq!(differing, 2, "{squares:02x?}");
    for address in 1025..=1027 {
        assert_eq!(asked(Question::SendChanges, address)[0], 0x85);
    }
    assert_eq!(program.json(), serde_json::json!({"event": "hands_done", "impossible": 0}));
    program.terminate();
    assert!(program.end().0.success());
}
