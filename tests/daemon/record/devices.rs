use super::*;

fn listed(arguments: &[&str]) -> Vec<Value> {
    let output = run(&[&["devices", "--json"], arguments].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).expect("JSON").as_array().expect("a list").clone()
}

#[test]
fn boards_in_a_folder_are_listed_and_asked() {
    let folder = tempfile::tempdir().unwrap();
    let board = board(1234);
    let link = folder.path().join("usb-board-1");
    board.link_at(&link).unwrap();
    let path = std::fs::canonicalize(&link).unwrap();
    let asking = |more: &[&str]| {
        let ports = listed(&[&["--folder", text(folder.path())], more].concat());
        ports.into_iter().find(|port| port["port"] == text(&path)).expect("it is listed")
    };
    let port = asking(&[]);
    assert_eq!(port["stable"], text(&link));
    assert_eq!((&port["may_open"], &port["usb"], &port["driver"]), (&Value::Bool(true), &Value::Null, &Value::Null));
    assert_eq!(port.get("answer"), None, "not asked");
    // The board has three seconds for its answers: what did not come by then comes at another time.
    let mut port = Value::Null;
    wait_until("the board answers", LONG, || {
        port = asking(&["--ask"]);
        ["serial", "firmware"].iter().all(|part| port["answer"][part].is_string())
    });
    assert_eq!(port["answer"]["serial"], "01234");
    assert_eq!((port["answer"]["driver"].as_str(), port["answer"]["firmware"].as_str()), (Some("dgt"), Some("1.80")));

    let held = Serial::open(&path, 9600).unwrap();
    let port = asking(&["--ask"]);
    assert!(port["answer"]["error"].as_str().is_some_and(|error| error.starts_with("held by ")), "{port}");
    let holds = |holder: &Value| holder["pid"].as_u64() == Some(std::process::id().into());
    assert!(port["held_by"].as_array().is_some_and(|holders| holders.iter().any(holds)), "{port}");
    drop(held);
    let counters = board.status().counters;
    assert_eq!((counters.set_and_run, counters.display, counters.lights, counters.dangerous), (0, 0, 0, 0));
}

#[test]
fn a_named_port_is_described_for_people() {
    let (_silent, path) = Pty::pair().unwrap();
    let output = run(&["devices", "--ask", text(&path)]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.starts_with(&format!("{}\n", path.display())) && printed.contains("no board answers"), "{printed}");
    assert!(printed.contains(&format!("(process {})", std::process::id())), "{printed}");
    let output = run(&["devices", "/dev/no-such-port"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/dev/no-such-port: no such port"));
}

#[test]
fn the_supported_devices_are_those_of_the_registry() {
    let rows = listed(&["--supported"]);
    let names: Vec<&str> = rows.iter().map(|row| row["driver"].as_str().expect("a name")).collect();
    let registered: Vec<&str> = flagfall_protocols::drivers::DRIVERS.iter().map(|driver| driver.name).collect();
    assert_eq!(names, registered);
    for (name, links, clock) in [("dgt", "serial", true), ("dgt_pegasus", "Bluetooth LE", false), ("hos_usb", "USB-HID", true)] {
        let row = rows.iter().find(|row| row["driver"] == name).expect(name);
        assert_eq!((&row["links"][0], &row["clock"]), (&Value::from(links), &Value::from(clock)), "{name}");
    }
    let people = run(&["devices", "--supported"]);
    let printed = String::from_utf8_lossy(&people.stdout).into_owned();
    assert!(registered.iter().all(|name| printed.lines().any(|line| line == *name)), "{printed}");
}
