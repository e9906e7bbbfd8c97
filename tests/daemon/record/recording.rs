use super::*;

/// How the board's report of all its squares begins.
const ALL_SQUARES: [u8; 3] = [0x86, 0, 67];

#[test]
fn a_recording_replays_as_the_game_that_was_played() {
    let folder = tempfile::tempdir().unwrap();
    let (link, file) = (folder.path().join("board"), folder.path().join("game.trace"));
    let board = board(1025);
    board.link_at(&link).unwrap();
    let mut recording = start_recording(&[text(&link), text(&file), "--driver", "dgt", "--time-control", "300+5"]);
    recording.wait_for_line("recording; Ctrl-C ends");
    // The driver asks for the position a second after the port is opened, and no man is touched before the answer.
    let reports = || received(&file).windows(3).filter(|bytes| *bytes == ALL_SQUARES).count();
    wait_until("the board reports its squares", LONG, || reports() > 0);
    let script =
        "2.5 lift e2\n+0.5 place e4\n+0.8 lift e7\n+0.5 place e5\n+0.8 lift g1\n+0.5 place f3\n+3 lift b8\n+0.5 place c6";
    board.load(&Script::parse(script).expect("a script")).unwrap();
    assert!(board.wait_done(LONG), "the hands are done");

    // The plug is pulled, and the recording continues when it is back.
    let before = reports();
    board.unplug().unwrap();
    recording.wait_for_line("waiting for the port to come back");
    board.replug().unwrap();
    recording.wait_for_line("the port is back");
    wait_until("the board reports its squares again", LONG, || reports() > before);
    board.load(&Script::parse("2.5 lift d2\n+0.5 place d4").expect("a script")).unwrap();
    assert!(board.wait_done(LONG), "the hands are done");
    let done = ["e2e4", "e7e5", "g1f3", "b8c6", "d2d4"];
    // The last bytes are on their way. Every check starts a process, so their number is bounded.
    let arrived = (0..200).any(|_| moves(&file).len() == done.len());
    assert!(arrived, "{:?}", moves(&file));
    let end = recording.stop("-TERM");
    assert!(end.contains("records") && end.contains(text(&file)), "{end}");
    assert_eq!(moves(&file), done);
    let kinds = kinds(&file);
    assert_eq!(kinds.iter().filter(|kind| ["up", "down"].contains(*kind)).copied().collect::<Vec<_>>(), ["up", "down", "up"]);
    assert!(kinds.contains(&"tx") && kinds.contains(&"rx"));
    let trace = std::fs::read_to_string(&file).unwrap();
    for header in ["# driver: dgt ", "# time-control: 300+5 ", "# name: game ", "# source: record "] {
        assert!(trace.contains(header), "{header}: {trace}");
    }
}

#[test]
fn without_a_driver_nothing_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (link, file) = (folder.path().join("port"), folder.path().join("bytes.trace"));
    let (mut device, path) = Pty::pair().unwrap();
    std::os::unix::fs::symlink(path, &link).unwrap();
    let mut recording = start_recording(&[text(&link), text(&file), "--baud", "38400"]);
    recording.wait_for_line("recording");
    let all: Vec<u8> = (0..=255).collect();
    device.write(&all).unwrap();
    wait_until("all bytes are recorded", LONG, || received(&file).len() == all.len());
    assert!(recording.stop("-INT").contains("256 bytes received, 0 sent"));
    assert!(matches!(device.read(&mut [0; 8], Duration::from_millis(10)), Err(LinkError::TimedOut)), "nothing was sent");
    let bytes = std::fs::read(&file).unwrap();
    let records = Trace::new(&bytes).unwrap().records().map(|record| record.unwrap().1.body).collect::<Vec<_>>();
    let received = records.iter().filter_map(|body| match body {
        Body::Rx { bytes, .. } => Some(bytes.to_vec()),
        Body::Link { up: true, .. } => None,
        other => panic!("{other:?}"),
    });
    assert_eq!(received.flatten().collect::<Vec<u8>>(), all);
}

#[test]
fn a_recording_with_a_limit_ends_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let (_silent, path) = Pty::pair().unwrap();
    start_recording(&[text(&path), text(&folder.path().join("new.trace")), "--seconds", "2"]).wait_for_success();
}

#[test]
fn an_impossible_recording_reports_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let (_device, path) = Pty::pair().unwrap();
    let (_other, busy) = Pty::pair().unwrap();
    let held = Serial::open(&busy, 9600).unwrap();
    let file = folder.path().join("new.trace");
    let there = folder.path().join("there.trace");
    std::fs::write(&there, "precious").unwrap();
    let missing = folder.path().join("missing");
    let ourselves = format!("(process {})", std::process::id());
    let (path, busy, file, there, missing) = (text(&path), text(&busy), text(&file), text(&there), text(&missing));
    for (arguments, code, reason) in [
        (&["record", path, there][..], 1, "File exists"),
        (&["record", missing, file], 1, "missing: no such port"),
        (&["record", busy, file], 1, ourselves.as_str()),
        (&["record", there, file], 1, "there.trace: no such port"),
        (&["record", path, file, "--driver", "none"], 1, "no driver is called `none`"),
        (&["record", path, file, "--time-control", "x"], 1, "--time-control x"),
        (&["record", path, file, "--seconds", "0"], 2, "--seconds"),
        (&["record", path, "/dev/full", "--seconds", "20"], 1, "No space left on device"),
    ] {
        let output = run(arguments);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {message}");
        assert!(message.contains(reason), "{arguments:?}: {message}");
        assert!(!Path::new(file).exists(), "{arguments:?} leaves no file");
    }
    assert_eq!(std::fs::read_to_string(there).unwrap(), "precious");
    drop(held);
}
