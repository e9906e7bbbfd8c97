//! Single files and variables that are refused, with the texts of their errors.

use crate::config::support::{config, problems};

/// Files, each with all its errors.
pub(crate) const FILES: &[(&str, &[&str])] = &[
    (
        "[[board]]\nid = \"b1\"\nwhite = 7\nblack = \"two\\nlines\"\n",
        &[
            "1.toml:3:9: board.b1.white: must be a name in quotes or a table, white = { name = \"...\", title = \"...\" }, not a number",
            "1.toml:4:9: board.b1.black: \"two\\nlines\": at most 200 bytes, on one line",
        ],
    ),
    (
        "[[board]]\nid = \"b1\"\n[board.white]\nname = \"\\u0007\"\nelo = 2100\ntitle = \"grand master\"\nrating = 4001\n\
         federation = \"Netherlands\"\nfide_id = 0\n",
        &[
            "1.toml:4:8: board.b1.white.name: \"\\u{7}\": at most 200 bytes, on one line",
            "1.toml:5:1: board.b1.white.elo: unknown key; here are known: name, title, rating, federation, fide_id",
            "1.toml:6:9: board.b1.white.title: \"grand master\" is not a title such as \"GM\" or \"WFM\"",
            "1.toml:7:10: board.b1.white.rating: is out of range: must be a whole number from 1 to 4000",
            "1.toml:8:14: board.b1.white.federation: \"Netherlands\" is not a federation such as \"NED\": three letters A-Z",
            "1.toml:9:11: board.b1.white.fide_id: is out of range: must be a whole number from 1 to 4294967295",
        ],
    ),
    (
        "[livechess]\nlisten = [\"127.0.0.1:1982\", \"0.0.0.0:1982\"]\norigins = [\"https://lichess.org/dgt\"]\n[http]\nlisten = \"8081\"\n",
        &[
            "1.toml:2:10: livechess.listen: \"0.0.0.0:1982\" can be reached from other machines: only 127.0.0.1 and [::1] are allowed",
            "1.toml:3:11: livechess.origins: \"https://lichess.org/dgt\" is not an origin such as \"https://lichess.org\": http:// or \
             https://, a host in small letters, perhaps a port, no path",
            "1.toml:5:10: http.listen: \"8081\" is not an address and port such as \"127.0.0.1:1883\"",
        ],
    ),
    ("[event]\ndelay_move = 2\n", &["1.toml:2:1: event.delay_move: unknown key; did you mean `delay_moves`?"]),
    ("[event]\n  dleay = 2\n", &["1.toml:2:3: event.dleay: unknown key; did you mean `delay`?"]),
    ("delay = 2\n", &["1.toml:1:1: delay: unknown key; did you mean `event.delay`?"]),
    ("[evnt]\nid = \"a\"\n", &["1.toml:1:2: evnt: unknown key; did you mean `event`?"]),
    (
        "[mqtt]\npassword = \"hunter2\"\n",
        &["1.toml:2:1: mqtt.password: unknown key; here are known: host, port, root, user, password_file, tls, ca_file, \
         certificate_file, key_file, insecure, raw"],
    ),
    (
        "[[board]]\nid = \"b1\"\ntime-control = \"300\"\n",
        &["1.toml:3:1: board.b1.time-control: unknown key; did you mean `time_control`?"],
    ),
    ("[event]\ndelay = -1\n", &["1.toml:2:9: event.delay: is out of range: must be a whole number from 0 to 86400"]),
    (
        "[event]\ndelay = 86401\ndelay_moves = 41\n",
        &[
            "1.toml:2:9: event.delay: is out of range: must be a whole number from 0 to 86400",
            "1.toml:3:15: event.delay_moves: is out of range: must be a whole number from 0 to 40",
        ],
    ),
    (
        "[event]\ndelay = 99999999999999999999\n",
        &["1.toml:2:9: event.delay: is out of range: must be a whole number from 0 to 86400"],
    ),
    ("[event]\ndelay = 1.5\n", &["1.toml:2:9: event.delay: must be a whole number from 0 to 86400, not a number with a point"]),
    ("[event]\ndelay = \"15\"\n", &["1.toml:2:9: event.delay: must be a whole number from 0 to 86400, not a text"]),
    ("[event]\nround = 5\n", &["1.toml:2:9: event.round: must be text in quotes, not a number"]),
    (
        "[event]\nid = \"Open 26\"\n",
        &["1.toml:2:6: event.id: \"Open 26\" is not an id: 1 to 40 of the letters a-z, digits and -"],
    ),
    (
        "[node]\nname = \"a23456789-b23456789-c23456789-d23\"\n",
        &[
            "1.toml:2:8: node.name: \"a23456789-b23456789-c23456789-d23\" is not the name of a node: 1 to 32 of the letters a-z, digits and -",
        ],
    ),
    ("[event]\nid = \"\"\n", &["1.toml:2:6: event.id: \"\" is not an id: 1 to 40 of the letters a-z, digits and -"]),
    ("event = 3\n", &["1.toml:1:9: event: must be a section, [event], not a number"]),
    (
        "[event]\nprofile = \"fide-2023-bliz\"\n",
        &["1.toml:2:11: event.profile: there is no rulebook `fide-2023-bliz`; did you mean `fide-2023-blitz`?"],
    ),
    (
        "[event]\nprofile = \"club-speed+article-6\"\n",
        &["1.toml:2:11: event.profile: there is no rulebook `article-6`; did you mean `article-6.9`?"],
    ),
    ("[event]\nguidelines = \"III.6\"\n", &["1.toml:2:14: event.guidelines: \"III.6\" is not one of \"\", \"III.4\", \"III.5\""]),
    ("[event]\nrulings = \"auto\"\n", &["1.toml:2:11: event.rulings: \"auto\" is not one of \"advise\", \"automatic\""]),
    ("[event]\ncasual = 1\n", &["1.toml:2:10: event.casual: must be true or false, not a number"]),
    ("[event]\nobserver = \"yes\"\n", &["1.toml:2:12: event.observer: must be true or false, not a text"]),
    (
        "[user.automatic]\nrole = \"chief\"\n",
        &["1.toml:1:7: user.automatic: \"automatic\" is the name of automatic decisions, not a user name"],
    ),
    ("[event]\nstart = \"14:00\"\n", &["1.toml:2:9: event.start: \"14:00\" is no time such as 2026-11-24T14:00:00+01:00"]),
    (
        "[[board]]\nid = \"b1\"\ngames = 0\nstart = \"2026-11-24T14:00:00\"\n",
        &[
            "1.toml:3:9: board.b1.games: is out of range: must be a whole number from 1 to 64",
            "1.toml:4:9: board.b1.start: \"2026-11-24T14:00:00\" is no time such as 2026-11-24T14:00:00+01:00",
        ],
    ),
    (
        "[live]\nuntil_press = 2\n[public]\nuntil_pres = true\n",
        &[
            "1.toml:2:15: live.until_press: must be true or false, not a number",
            "1.toml:4:1: public.until_pres: unknown key; did you mean `until_press`?",
        ],
    ),
    ("[event]\nchess960 = \"yes\"\n", &["1.toml:2:12: event.chess960: must be true or false, not a text"]),
    (
        "[event]\ntime_control = \"90+30m\"\n",
        &[
            "1.toml:2:16: event.time_control: \"90+30m\": time control, byte 3: a whole number is expected; for example \"5400+30\" is 90 \
         minutes and 30 seconds a move",
        ],
    ),
    (
        "[log]\nlevel = \"inf\"\n",
        &["1.toml:2:9: log.level: \"inf\" is not one of \"error\", \"warn\", \"info\", \"debug\"; did you mean \"info\"?"],
    ),
    (
        "[mqtt]\nhost = \"mqtt://broker\"\n",
        &["1.toml:2:8: mqtt.host: \"mqtt://broker\": only the name or address, without `mqtt://`"],
    ),
    ("[mqtt]\nhost = \"broker:1883\"\n", &["1.toml:2:8: mqtt.host: \"broker:1883\": the port has a key of its own, mqtt.port"]),
    ("[mqtt]\nport = 0\n", &["1.toml:2:8: mqtt.port: is out of range: must be a whole number from 1 to 65535"]),
    (
        "[mqtt]\nroot = \"a/b\"\n",
        &["1.toml:2:8: mqtt.root: \"a/b\" is not one level of a topic: 1 to 40 of the letters A-Z a-z, digits and - _ ."],
    ),
    (
        "[journal]\nfile_mib = 129\ntotal_mib = 0\ndir = \"\"\n",
        &[
            "1.toml:2:12: journal.file_mib: is out of range: must be a whole number from 1 to 128",
            "1.toml:3:13: journal.total_mib: is out of range: must be a whole number from 1 to 65536",
            "1.toml:4:7: journal.dir: is empty: leave the key out instead",
        ],
    ),
    (
        "[discovery]\nfolders = \"/dev\"\n",
        &["1.toml:2:11: discovery.folders: must be a list of paths, [\"...\", \"...\"], not a text"],
    ),
    ("[broker]\ntcp = \"1883\"\n", &["1.toml:2:7: broker.tcp: \"1883\" is not an address and port such as \"127.0.0.1:1883\""]),
    (
        "[broker.user.s]\nread = [\"a/#/b\"]\n",
        &[
            "1.toml:2:8: broker.user.s.read: \"a/#/b\" is not a topic filter: + and # stand for whole levels, # only at the end",
            "1.toml:1:14: broker.user.s.password_file: is missing",
        ],
    ),
    ("[user]\nanna = \"arbiter\"\n", &["1.toml:2:1: user.anna: must be in sections with a name, [user.NAME]"]),
    (
        "[user.anna]\nrole = \"king\"\nboards = [1]\n",
        &[
            "1.toml:2:8: user.anna.role: \"king\" is not one of \"operator\", \"arbiter\", \"chief\", \"organiser\"",
            "1.toml:3:10: user.anna.boards: must be a list of texts, [\"...\", \"...\"], not a list of other things",
        ],
    ),
    ("[user.anna]\n", &["1.toml:1:7: user.anna.role: is missing"]),
    (
        "[user.\"a/+\"]\nrole = \"chief\"\n",
        &["1.toml:1:7: user.\"a/+\": \"a/+\" is not a user name: 1 to 64 of the letters A-Z a-z, digits and - _"],
    ),
    ("[[board]]\nport = \"/dev/a\"\n", &["1.toml:1:1: board[0].id: is missing: every board needs one"]),
    ("[board]\nid = \"b1\"\n", &["1.toml:1:1: board: must be tables, [[board]], not a table"]),
    ("[[output]]\nname = \"a\"\n", &["1.toml:1:1: output.a.kind: is missing"]),
    (
        "[[output]]\nname = \"a\"\nkind = \"files\"\nround = \"abcd1234\"\n",
        &[
            "1.toml:1:1: output.a.dir: is missing: the folder for the files",
            "1.toml:4:1: output.a.round: is for kind = \"lichess\" only",
        ],
    ),
    (
        "[[output]]\nname = \"http\"\nkind = \"lichess\"\ndir = \"/a\"\naudience = \"live\"\n",
        &[
            "1.toml:2:1: output.http.name: is the name of the pages that http.listen serves: choose another one",
            "1.toml:1:1: output.http.token_file: is missing: the file with the token of the account, with its whole path",
            "1.toml:4:1: output.http.dir: does nothing for kind = \"lichess\"",
            "1.toml:5:1: output.http.audience: sends what is not delayed: only if its receiver delays it, with receiver_delays = true",
        ],
    ),
    (
        "[[output]]\nname = \"a\"\nkind = \"lichess\"\nurl = \"http://lichess.org\"\nround = \"../../x\"\n",
        &[
            "1.toml:4:7: output.a.url: \"http://lichess.org\": must begin with https://",
            "1.toml:5:9: output.a.round: \"../../x\": must be the 8 letters and digits at the end of the round's address",
        ],
    ),
    (
        "[[output]]\nname = \"a\"\nkind = \"ftp\"\ndir = \"/a\"\nboards = \"9-1\"\ncommand = [\"/a\", \"{game}\"]\n",
        &[
            "1.toml:3:8: output.a.kind: \"ftp\" is not one of \"files\", \"command\", \"lichess\"",
            "1.toml:5:10: output.a.boards: \"9-1\" are not numbers of boards such as \"1-50,60\"",
            "1.toml:6:11: output.a.command: \"{game}\": after { only these are known: {games}, {dir}, {event}, {round}",
        ],
    ),
    (
        "[[output]]\nname = \"a\"\nkind = \"files\"\ndir = \"a\"\ntimeout = 5\n[[output]]\nname = \"b\"\nkind = \"command\"\ndir = \"./a\"\n\
         audience = \"live\"\n",
        &[
            "1.toml:4:1: output.a.dir: a: must begin with /",
            "1.toml:5:1: output.a.timeout: does nothing for kind = \"files\"",
            "1.toml:9:1: output.b.dir: ./a: must begin with /",
            "1.toml:6:1: output.b.command: is missing: the program and its arguments",
            "1.toml:10:1: output.b.audience: sends what is not delayed: only if its receiver delays it, with receiver_delays = true",
        ],
    ),
    (
        "[collect]\ndir = \"/a/\"\n[[output]]\nname = \"a\"\nkind = \"files\"\ndir = \"/b\"\n[[output]]\nname = \"b\"\nkind = \"files\"\n\
         dir = \"/b\"\n[[output]]\nname = \"c\"\nkind = \"files\"\ndir = \"/a\"\n",
        &[
            "1.toml:10:1: output.b.dir: is that of output \"a\" too, at 1.toml:6:1",
            "1.toml:14:1: output.c.dir: is not apart from collect.dir, whose files others must not read: choose another folder",
        ],
    ),
    (
        "[event]\nid = \"e\"\n[collect]\ndir = \"/a/c\"\n[journal]\ndir = \"/a/c/j\"\n\
         [[output]]\nname = \"above\"\nkind = \"files\"\ndir = \"/a\"\n[[output]]\nname = \"journals\"\nkind = \"files\"\ndir = \"/a/c/j/b\"\n\
         [[output]]\nname = \"event\"\nkind = \"files\"\ndir = \"/a/c/e/x\"\n[[output]]\nname = \"beside\"\nkind = \"files\"\ndir = \"/a/c/v\"\n",
        &[
            "1.toml:4:1: collect.dir: is not apart from journal.dir: choose another folder",
            "1.toml:10:1: output.above.dir: is not apart from collect.dir, whose files others must not read: choose another folder",
            "1.toml:10:1: output.above.dir: is not apart from journal.dir, whose files others must not read: choose another folder",
            "1.toml:14:1: output.journals.dir: is not apart from journal.dir, whose files others must not read: choose another folder",
            "1.toml:18:1: output.event.dir: is not apart from collect.dir, whose files others must not read: choose another folder",
        ],
    ),
    (
        "[[board]]\nid = \"b1\"\ndriver = \"dtg\"\n",
        &["1.toml:3:10: board.b1.driver: no driver is called \"dtg\"; did you mean `dgt`?"],
    ),
    (
        "[[board]]\nid = \"b1\"\nwhite_clock = \"rigth\"\n",
        &["1.toml:3:15: board.b1.white_clock: \"rigth\" is not one of \"left\", \"right\"; did you mean \"right\"?"],
    ),
    (
        "[[board]]\nid = \"b1\"\n[[board]]\nid = \"b1\"\n",
        &["1.toml:4:6: board.b1.id: is the id of another board too, at 1.toml:2:1"],
    ),
    (
        "[event]\nid = \"a\nround = \"b\n",
        &["1.toml:2:8: invalid basic string, expected `\"`", "1.toml:3:11: invalid basic string, expected `\"`"],
    ),
    ("[event]\nid = \"a\"\nid = \"b\"\n", &["1.toml:3:1: duplicate key"]),
];

#[test]
fn each_bad_file_is_refused_with_its_place() {
    let mut wrong = Vec::new();
    for (text, lines) in FILES {
        let found = problems(&[text], &[]);
        if found != *lines {
            wrong.push(format!("{text}\nwanted: {lines:#?}\nfound: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Variables with their values and errors.
const VARIABLES: &[(&str, &str, &str)] = &[
    ("FLAGFALL__EVENT__DELAI", "3", "FLAGFALL__EVENT__DELAI: fits no key; did you mean FLAGFALL__EVENT__DELAY?"),
    ("FLAGFALL__EVNT__ROUND", "3", "FLAGFALL__EVNT__ROUND: fits no key; did you mean FLAGFALL__EVENT__ROUND?"),
    (
        "FLAGFALL__",
        "3",
        "FLAGFALL__: fits no key: unknown key; here are known: node, event, live, public, mqtt, broker, livechess, http, screens, journal, discovery, bluetooth, log, \
      user, board, collect, output, fleet",
    ),
    ("FLAGFALL__EVENT", "3", "FLAGFALL__EVENT: names no key of [event]"),
    ("FLAGFALL__EVENT__DELAY", "soon", "FLAGFALL__EVENT__DELAY: event.delay: must be a whole number from 0 to 86400, not a text"),
    (
        "FLAGFALL__EVENT__DELAY",
        "90000",
        "FLAGFALL__EVENT__DELAY: event.delay: is out of range: must be a whole number from 0 to \
      86400",
    ),
    ("FLAGFALL__MQTT__TLS", "1", "FLAGFALL__MQTT__TLS: mqtt.tls: must be true or false, not a text"),
    ("FLAGFALL__BOARD__B1__PORT", "x", "FLAGFALL__BOARD__B1__PORT: boards can be configured in files only, [[board]]"),
    ("FLAGFALL__USER__ANNA__BOARDS", "b1", "FLAGFALL__USER__ANNA__BOARDS: user.anna.role: is missing"),
    ("FLAGFALL__USER__ANNA", "chief", "FLAGFALL__USER__ANNA: names no key of [user]"),
    (
        "FLAGFALL__USER__ANNA__ROLE",
        "boss",
        "FLAGFALL__USER__ANNA__ROLE: user.anna.role: \"boss\" is not one of \"operator\", \
      \"arbiter\", \"chief\", \"organiser\"",
    ),
];

#[test]
fn each_bad_variable_is_named_with_the_nearest() {
    for (name, value, line) in VARIABLES {
        assert_eq!(problems(&[], &[(name, value)]), [line.to_string()], "{name}={value}");
    }
    config(&[], &[("FLAGFALL_EVENT__DELAY", "x"), ("PATH", "x"), ("XFLAGFALL__A", "x")]);
}

#[test]
fn all_errors_of_all_files_are_reported() {
    let found = problems(
        &["[event]\nidd = \"a\"\ndelay = true\n", "[mqqt]\n", "= 1\n"],
        &[("FLAGFALL__LOG__LEVEL", "loud"), ("FLAGFALL__LOG__LEVL", "info")],
    );
    let places: Vec<&str> = found.iter().map(|line| line.split(": ").next().unwrap_or_default()).collect();
    assert_eq!(
        places,
        ["1.toml:2:1", "1.toml:3:9", "2.toml:1:2", "3.toml:1:1", "FLAGFALL__LOG__LEVEL", "FLAGFALL__LOG__LEVL"],
        "{found:#?}"
    );
}

#[test]
fn a_password_in_the_wrong_place_is_not_repeated() {
    let found = problems(&["[mqtt]\npasword = \"hunter2\"\npassword_file = 7\n"], &[("FLAGFALL__MQTT__PASSWORD", "hunter2")]);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(!found.concat().contains("hunter2"), "{found:#?}");
}

#[test]
fn files_that_are_not_text_or_not_there() {
    use crate::config::support::Folder;
    let folder = Folder::new();
    let bytes = folder.file("bytes.toml", b"[event]\nid = \"\xff\"\n");
    let long = folder.file("long.toml", vec![b'\n'; (1 << 20) + 1]);
    let gone = folder.file("x", "").with_file_name("gone.toml");
    let errors = flagfall::config::load(&[bytes, long, gone], std::iter::empty()).expect_err("refused");
    assert_eq!(
        folder.lines(&errors),
        [
            "bytes.toml:2:7: is not text in UTF-8",
            "long.toml: is longer than 1048576 bytes and no configuration",
            "gone.toml: cannot be read: No such file or directory (os error 2)",
        ]
    );
}
