//! Good files, thirty broken ones of each format, and files of any bytes.

use proptest::prelude::*;

use super::*;

const PGN: &str = "[Event \"Example Open\"]\n[Date \"2026.11.21\"]\n[Round \"5.1\"]\n[White \"Beispiel, Anna\"]\n[Black \"Muster, Ben\"]\n[Result \"*\"]\n[WhiteElo \"2143\"]\n[WhiteTitle \"WFM\"]\n[WhiteFideId \"99000001\"]\n[BlackFideId \"99000002\"]\n\n*\n\n[Event \"Example Open\"]\n[Round \"5.2\"]\n[White \"Dupont, Élodie\"]\n[Black \"Müller, Jörg\"]\n[Result \"1-0\"]\n\n1. e4 { [a comment] } 1-0\n";

const CSV: &str = "round,board,white,white_title,white_rating,white_fed,white_fide_id,black,black_title,black_rating,black_fed,black_fide_id,result\n5,1,\"Beispiel, Anna\",WFM,2143,NED,99000001,\"Muster, Ben\",,2210,GER,99000002,*\n5,2,\"Dupont, Élodie\",,,,,\"Müller, Jörg\",,,,,+/-\n";

const LIVECHESS: &str = r#"{"date":"2026-11-21","pairings":[
{"white":{"fname":"Anna","mname":null,"lname":"Beispiel","title":"WFM","federation":"NED","gender":null,"fideid":99000001},"black":{"fname":"Ben","lname":"Muster","fideid":null},"result":"*","live":true},
{"white":{"lname":"Dupont","fname":"Élodie"},"black":{"lname":"Müller","fname":"Jörg"},"result":"1/2-1/2","live":false}]}"#;

/// A line of a tournament report file: rank, title, name, FIDE's number, and the rounds.
fn trf_line(rank: u32, title: &str, name: &str, id: &str, rounds: &[&str]) -> String {
    let rounds: String = rounds.iter().map(|round| format!("  {round:<8}")).collect();
    let head = format!(
        "001 {rank:>4} w {title:>2} {name:<33} {:>4} {:>3} {id:>11} {:<10} {:>4} {:>4}",
        2100, "NED", "1990/01/01", "1.0", rank
    );
    format!("{head:<89}{rounds}\n")
}

/// Round 1 is played, round 2 is paired.
fn trf() -> String {
    let lines = [
        trf_line(1, "GM", "Beispiel, Anna", "99000001", &["0003 w 1", "0002 b  "]),
        trf_line(2, "", "Muster, Ben", "99000002", &["0004 b 1", "0001 w  "]),
        trf_line(3, "", "Dupont, Élodie", "", &["0001 b 0", "0004 w  "]),
        trf_line(4, "", "Müller, Jörg", "", &["0002 w 0", "0003 b  "]),
    ];
    format!("012 Example Open\n062 4\n{}", lines.concat())
}

fn read_text(text: &str, format: Format) -> Result<Imported, Problems> {
    read(text.as_bytes(), format, &Options::default())
}

fn names(imported: &Imported) -> Vec<(u32, String, String)> {
    let name = |player: &Player| player.name.clone().unwrap_or_default();
    imported.rows.iter().map(|row| (row.number.unwrap_or_default(), name(&row.white), name(&row.black))).collect()
}

#[test]
fn each_format_gives_the_same_pairings() {
    let anna = (1, "Beispiel, Anna".to_owned(), "Muster, Ben".to_owned());
    let elodie = (2, "Dupont, Élodie".to_owned(), "Müller, Jörg".to_owned());
    for (text, format) in [(PGN, Format::Pgn), (CSV, Format::Csv), (LIVECHESS, Format::Livechess)] {
        let imported = read_text(text, format).unwrap_or_else(|problems| panic!("{format:?}: {problems}"));
        assert_eq!(names(&imported), [anna.clone(), elodie.clone()], "{format:?}");
        assert_eq!(imported.rows[0].white.fide_id, Some(99_000_001));
        assert_eq!(imported.rows[0].white.title.as_deref(), Some("WFM"));
        assert!(!imported.guessed);
    }
    let imported = read_text(&trf(), Format::Trf).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(names(&imported), [(1, anna.2, anna.1), elodie]);
    assert_eq!((imported.round, imported.guessed), (Some(2), true));
    let white = &imported.rows[0].black;
    assert_eq!((white.title.as_deref(), white.rating, white.fide_id), (Some("GM"), Some(2100), Some(99_000_001)));
}

#[test]
fn what_the_files_say_besides_names_is_read() {
    let pgn = read_text(PGN, Format::Pgn).expect("good");
    assert_eq!((pgn.round, pgn.date.as_deref()), (Some(5), Some("2026-11-21")));
    assert_eq!(pgn.rows.iter().map(|row| row.result).collect::<Vec<_>>(), [None, Some(PairingResult::WhiteWins)]);
    let csv = read_text(CSV, Format::Csv).expect("good");
    assert_eq!((csv.round, csv.rows[1].result), (Some(5), Some(PairingResult::BlackForfeits)));
    assert_eq!((csv.rows[0].black.rating, csv.rows[0].black.federation.as_deref()), (Some(2210), Some("GER")));
    let first = read(trf().as_bytes(), Format::Trf, &Options { round: Some(1), ..Options::default() }).expect("good");
    assert_eq!(first.rows[0].result, Some(PairingResult::WhiteWins));
}

#[test]
fn a_list_of_chess_results_is_read() {
    let text = "Example Open;;;;;;;;;;;;;\n;;;;;;;;;;;;;\nBo.;No.;;Name;Rtg;FED;Pts.;Result;Pts.;;Name;Rtg;FED;No.\n1;4;IM;Muster Ben;2400;GER;1;½ - ½;1;;Beispiel Anna;2143;NED;7\n2;5;;Dupont Élodie;0;FRA;1;+ - -;1;FM;Novák Jiří;2301;CZE;8\n3;9;;Solo Han;0;NED;0;;;;bye;;;\n;;;;;;;;;;;;;\nTournament-Server;;;;;;;;;;;;;\n";
    let imported = read_text(text, Format::Csv).unwrap_or_else(|problems| panic!("{problems}"));
    let [one, two] = imported.rows.as_slice() else { panic!("{imported:?}") };
    assert_eq!((one.white.title.as_deref(), one.white.rating, one.black.rating), (Some("IM"), Some(2400), Some(2143)));
    assert_eq!((two.black.title.as_deref(), two.black.federation.as_deref()), (Some("FM"), Some("CZE")));
    assert_eq!((one.result, two.result), (Some(PairingResult::Draw), Some(PairingResult::BlackForfeits)));
    assert!(imported.notes.iter().any(|note| note.contains("bye")), "{:?}", imported.notes);
    assert!(imported.notes.iter().any(|note| note.contains("line 8") && note.contains("Tournament")), "{:?}", imported.notes);
}

#[test]
fn columns_have_names_in_several_languages() {
    for header in
        ["Brett;Weiß;Schwarz;Ergebnis", "mesa;blancas;negras;resultado", "Ech.\tBlancs\tNoirs\tRésultat", "Bo.,White,Black,Res."]
    {
        let separator = header.chars().find(|char| ";\t,".contains(*char)).unwrap_or(';');
        let line = ["7", "Anna", "Ben", "0-1"].join(&separator.to_string());
        let imported = read_text(&format!("{header}\n{line}\n"), Format::Csv).unwrap_or_else(|problems| panic!("{problems}"));
        assert_eq!(names(&imported), [(7, "Anna".to_owned(), "Ben".to_owned())], "{header}");
        assert_eq!(imported.rows[0].result, Some(PairingResult::BlackWins), "{header}");
    }
}

#[test]
fn encodings_are_found_or_named() {
    let text = "board;white;black\n1;Müller;Núñez\n";
    let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(text);
    let imported = read(&latin, Format::Csv, &Options::default()).expect("good");
    assert!(imported.notes.iter().any(|note| note.contains("line 2 is not UTF-8") && note.contains("Windows-1252")));
    assert_eq!(names(&imported), [(1, "Müller".to_owned(), "Núñez".to_owned())]);
    let text = "board;white;black\n1;Wałęsa;Dvořák\n";
    let (east, _, _) = encoding_rs::WINDOWS_1250.encode(text);
    let options = Options { encoding: Some("windows-1250".to_owned()), ..Options::default() };
    assert_eq!(names(&read(&east, Format::Csv, &options).expect("good")), [(1, "Wałęsa".to_owned(), "Dvořák".to_owned())]);
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(read(&utf16, Format::Csv, &Options::default()).expect("good").rows.len(), 1);
    let marked = format!("\u{feff}{text}");
    assert_eq!(read_text(&marked, Format::Csv).expect("good").rows.len(), 1);
}

#[test]
fn boards_and_rounds_are_chosen() {
    let boards = |text: &str| Options { boards: text.parse().ok(), ..Options::default() };
    assert_eq!(names(&read(PGN.as_bytes(), Format::Pgn, &boards("2-9")).expect("good")).len(), 1);
    assert!(read(PGN.as_bytes(), Format::Pgn, &boards("7")).is_err());
    for text in ["", "0", "5-2", "a", "1-", "1--2"] {
        assert!(text.parse::<Boards>().is_err(), "{text}");
    }
    let two = PGN.replace("5.2", "6.1");
    assert!(read_text(&two, Format::Pgn).expect_err("two rounds").to_string().contains("--round"));
    let options = Options { round: Some(6), ..Options::default() };
    assert_eq!(names(&read(two.as_bytes(), Format::Pgn, &options).expect("good"))[0].0, 1);
}

#[test]
fn boards_of_a_report_file_come_from_a_table() {
    let table = "board,white,black\n11,Ben Muster,Anna Beispiel\n12,\"Dupont, Élodie\",\"Müller, Jörg\"\n";
    let options = |table: &str| Options { boards_from: Some(table.as_bytes().to_vec()), ..Options::default() };
    let imported = read(trf().as_bytes(), Format::Trf, &options(table)).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(imported.rows.iter().map(|row| row.number).collect::<Vec<_>>(), [Some(11), Some(12)]);
    assert!(!imported.guessed);
    let error =
        read(trf().as_bytes(), Format::Trf, &options("board,white,black\n11,Ben Muster,Anna Beispiel\n")).expect_err("a gap");
    assert!(error.to_string().contains("Dupont, Élodie - Müller, Jörg stands not"), "{error}");
    assert!(
        read(trf().as_bytes(), Format::Trf, &options("nothing\n")).expect_err("no table").to_string().contains("--boards-from")
    );
}

/// Reads a broken file. Returns what is wrong with the answer: the problems must have one on this line (0 = the whole file) with these
/// words.
fn accepts(bytes: &[u8], format: Format, line: usize, words: &str) -> Option<String> {
    let problems = match read(bytes, format, &Options::default()) {
        Err(problems) => problems,
        Ok(imported) => return Some(format!("{words}: taken: {:?}", names(&imported))),
    };
    let fits = |problem: &Problem| problem.line == line && problem.what.contains(words);
    (!problems.0.iter().any(fits)).then(|| format!("line {line} {words:?}: {}", problems.describe("FILE")))
}

#[track_caller]
fn refused(bytes: &[u8], format: Format, line: usize, words: &str) {
    assert_eq!(accepts(bytes, format, line, words), None);
}

/// Replaces a part of a good file by a broken one, for each row: the part, the broken one, and the line and words of the problem.
#[track_caller]
fn all_refused(good: &str, format: Format, rows: &[(&str, &str, usize, &str)]) {
    let broken = rows.iter().filter_map(|(part, broken, line, words)| {
        let text = good.replacen(part, broken, 1);
        assert_ne!(text, good, "{part}");
        accepts(text.as_bytes(), format, *line, words)
    });
    assert_eq!(broken.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn broken_pgn_is_refused_with_its_line() {
    let name = "x".repeat(101);
    let rows: [(&str, &str, usize, &str); 30] = [
        ("[White \"Beispiel, Anna\"]", "[White \"Beispiel, Anna\"", 4, "no tag"),
        ("[White \"Beispiel, Anna\"]", "[White Beispiel]", 4, "no tag"),
        ("[White \"Beispiel, Anna\"]", "[White \"Anna\\\"]", 4, "no tag"),
        ("[White \"Beispiel, Anna\"]", "[White \"An\"na\"]", 4, "no tag"),
        ("[White \"Beispiel, Anna\"]", "[White\"Anna\"]", 4, "no tag"),
        ("[White \"Beispiel, Anna\"]", "[\"Anna\"]", 4, "no tag"),
        ("[White \"Beispiel, Anna\"]", "[]", 4, "no tag"),
        ("[White \"Beispiel, Anna\"]", "[White \"\"]", 4, "is no name"),
        ("[White \"Beispiel, Anna\"]", "[White \"?\"]", 4, "is no name"),
        ("[White \"Beispiel, Anna\"]", "[White \" \t \"]", 4, "is no name"),
        ("[White \"Beispiel, Anna\"]", &format!("[White \"{name}\"]"), 4, "101 characters"),
        ("[White \"Beispiel, Anna\"]\n", "", 1, "no tag White"),
        ("[Black \"Muster, Ben\"]\n", "", 1, "no tag Black"),
        ("[Black \"Muster, Ben\"]", "[Black \"Beispiel, Anna\"]", 1, "stands already"),
        ("[White \"Dupont, Élodie\"]", "[White \"Anna Beispiel\"]", 14, "stands already"),
        ("[Black \"Müller, Jörg\"]", "[Black \"Müller, Jörg\"]\n[BlackFideId \"99000001\"]", 14, "99000001 of FIDE"),
        ("[Round \"5.2\"]", "[Round \"5.1\"]", 14, "board 1 stands already"),
        ("[Round \"5.2\"]", "[Round \"5\"]", 14, "no board number"),
        ("[Round \"5.2\"]", "[Round \"6.2\"]", 0, "--round"),
        ("[Round \"5.2\"]", "[Round \"five\"]", 15, "tag Round"),
        ("[Round \"5.2\"]", "[Round \"5.x\"]", 15, "tag Round"),
        ("[Round \"5.2\"]", "[Round \"100.2\"]", 15, "tag Round"),
        ("[Round \"5.2\"]", "[Round \"5.2\"]\n[Board \"3\"]", 16, "names board 2"),
        ("[Round \"5.2\"]", "[Round \"5.0\"]", 15, "is not the number of a board"),
        ("[WhiteElo \"2143\"]", "[WhiteElo \"21x\"]", 7, "tag WhiteElo"),
        ("[WhiteElo \"2143\"]", "[WhiteElo \"-5\"]", 7, "tag WhiteElo"),
        ("[WhiteTitle \"WFM\"]", "[WhiteTitle \"King\"]", 8, "is no title"),
        ("[Result \"1-0\"]", "[Result \"2-0\"]", 18, "is no result"),
        ("[Date \"2026.11.21\"]", "[Date \"21.11.2026\"]", 2, "is no date"),
        ("{ [a comment] }", "{ a comment", 20, "no end"),
    ];
    all_refused(PGN, Format::Pgn, &rows);
    refused(b"", Format::Pgn, 0, "no game");
    refused(b"1. e4 e5 *\n", Format::Pgn, 1, "before the first tag");
    refused(PGN.replacen("[White ", "[Event \"x\"]\n[White ", 1).as_bytes(), Format::Pgn, 4, "stands already on line 1");
    refused(b"PK\x03\x04\x00\x00", Format::Pgn, 0, "Excel");
    refused(&PGN.replacen("Anna", "An\0na", 1).into_bytes(), Format::Pgn, 4, "zero byte");
}

#[test]
fn broken_csv_is_refused_with_its_line() {
    let name = "x".repeat(101);
    let rows: [(&str, &str, usize, &str); 30] = [
        ("round,board,white", "round,board,whites", 1, "no header line"),
        ("black,black_title", "blacks,black_title", 1, "no header line"),
        ("white,white_title", "white,white", 1, "stands twice"),
        ("round,board", "board,board", 1, "stands twice"),
        ("5,2,", "5,1,", 3, "board 1 stands already on line 2"),
        ("5,2,", "5,,", 3, "no board number"),
        ("5,2,", "5,x,", 3, "column \"board\""),
        ("5,2,", "5,0,", 3, "column \"board\""),
        ("5,2,", "5,-2,", 3, "column \"board\""),
        ("5,2,", "5,10000,", 3, "column \"board\""),
        ("5,2,", "6,2,", 0, "--round"),
        ("5,2,", "R5,2,", 3, "column \"round\""),
        ("5,2,", ",2,", 3, "has no round"),
        ("5,2,", "5,2,,", 3, "14 values"),
        ("5,2,", "2,", 3, "12 values"),
        ("2143", "214x", 2, "column \"white_rating\""),
        ("2143", "9000", 2, "column \"white_rating\""),
        ("2143", "21.5", 2, "column \"white_rating\""),
        ("WFM", "Queen", 2, "is no title"),
        ("NED", "Netherlands", 2, "no federation"),
        ("NED", "N3D", 2, "no federation"),
        ("99000002", "99000001", 2, "stands already on line 2"),
        ("99000002", "99000000000", 2, "number of FIDE"),
        ("99000002", "NED1", 2, "number of FIDE"),
        ("+/-", "3-0", 3, "is no result"),
        ("+/-", "win", 3, "is no result"),
        ("\"Müller, Jörg\"", "\"Beispiel, Anna\"", 3, "stands already on line 2"),
        ("\"Müller, Jörg\"", "?", 3, "Black has no name"),
        ("\"Müller, Jörg\"", &format!("\"{name}\""), 3, "101 characters"),
        ("\"Müller, Jörg\"", "\"Müller, Jörg", 3, "quotation mark"),
    ];
    all_refused(CSV, Format::Csv, &rows);
    refused(b"", Format::Csv, 1, "no header line");
    refused(b"board,white,black\n", Format::Csv, 0, "no pairing");
    refused(b"\xd0\xcf\x11\xe0\xa1", Format::Csv, 0, "old Excel");
}

#[test]
fn broken_report_files_are_refused_with_their_line() {
    // The part is replaced on this line of the file.
    let rows: [(usize, &str, &str, usize, &str); 30] = [
        (3, "   1", "   x", 3, "columns 5-8"),
        (3, "   1", "   0", 3, "columns 5-8"),
        (3, "   1", "    ", 3, "columns 5-8"),
        (4, "001    2", "001    1", 4, "stands already on line 3"),
        (3, "Beispiel, Anna", "              ", 3, "there is no name"),
        (3, "2100", "21x0", 3, "columns 49-52"),
        (3, "2100", "9999", 3, "columns 49-52"),
        (3, "NED", "N1D", 3, "columns 54-56"),
        (3, "NED", "N  ", 3, "columns 54-56"),
        (3, "99000001", "9900000x", 3, "columns 58-68"),
        (4, "99000002", "99000001", 4, "of FIDE"),
        (4, "Muster, Ben   ", "Beispiel, Anna", 4, "stands already"),
        (3, "GM", "XX", 3, "is no title"),
        (3, "0002 b", "0009 b", 3, "no other player"),
        (3, "0002 b", "0001 b", 3, "no other player"),
        (3, "0002 b", "0003 b", 3, "who on line 5 has another one"),
        (3, "0002 b", "0000 -", 4, "who on line 3 has another one"),
        (3, "0002 b", "00x2 b", 3, "no number of a player"),
        (3, "0002 b", "0002 x", 3, "is no colour"),
        (3, "0002 b", "0002 w", 4, "not w and b"),
        (3, "0002 b", "0002 -", 4, "not w and b"),
        (3, "0002 b", "0002  ", 4, "not w and b"),
        (4, "0001 w", "0001 b", 4, "not w and b"),
        (4, "0001 w", "0003 w", 4, "who on line 5 has another one"),
        (4, "0001 w", "      ", 3, "who on line 4 has another one"),
        (3, "0002 b  ", "0002 b 7", 3, "is no result"),
        (3, "0002 b  ", "0002 b 1", 4, "contradict"),
        (4, "0001 w  ", "0001 w =", 4, "contradict"),
        (4, "0001 w  ", "0001 w +", 4, "contradict"),
        (5, "0004 w", "0002 w", 5, "who on line 4 has another one"),
    ];
    let mut accepted = Vec::new();
    for (line, part, broken, problem, words) in rows {
        let lines: Vec<String> = (1..)
            .zip(trf().lines())
            .map(|(number, text)| if number == line { text.replacen(part, broken, 1) } else { text.to_owned() })
            .collect();
        let text = lines.join("\n");
        assert_ne!(text, trf().trim_end(), "{part} on line {line}");
        accepted.extend(accepts(text.as_bytes(), Format::Trf, problem, words));
    }
    assert_eq!(accepted, [""; 0]);
    refused(b"", Format::Trf, 0, "no player");
    refused(b"012 Example Open\n", Format::Trf, 0, "no player");
    refused(trf_line(1, "", "Beispiel, Anna", "", &[]).as_bytes(), Format::Trf, 0, "no player has an opponent");
}

#[test]
fn broken_livechess_files_are_refused_with_their_place() {
    let name = "x".repeat(101);
    let rows: [(&str, &str, usize, &str); 30] = [
        ("{\"date\"", "\"date\"", 1, "column"),
        ("\"pairings\"", "\"pairing\"", 3, "pairings"),
        ("\"pairings\":[", "\"pairings\":{", 1, "column"),
        ("\"pairings\":[", "\"pairings\":7,\"x\":[", 1, "column"),
        ("\"pairings\":[", "\"pairings\":[7,", 1, "pairings[0]"),
        ("\"pairings\"", "\"rounds\"", 3, "tournament.json"),
        ("]}", "]", 3, "column"),
        ("]}", "]}}", 3, "column"),
        ("\"live\":true},", "\"live\":true}", 3, "column"),
        ("\"date\":\"2026-11-21\"", "\"date\":20261121", 1, "column"),
        ("\"date\":\"2026-11-21\"", "\"date\":\"yesterday\"", 0, "is no date"),
        ("\"date\":\"2026-11-21\"", "\"date\":\"2026-13-21\"", 0, "is no date"),
        ("99000001", "-1", 2, "pairings[0]"),
        ("99000001", "1.5", 2, "pairings[0]"),
        ("99000001", "99000000000", 2, "pairings[0].white.fideid"),
        ("99000001", "\"x\"", 2, "pairings[0].white.fideid"),
        ("99000001", "[1]", 2, "pairings[0]"),
        ("\"WFM\"", "\"Queen\"", 2, "pairings[0].white.title"),
        ("\"WFM\"", "7", 2, "pairings[0]"),
        ("\"NED\"", "\"Holland\"", 2, "pairings[0].white.federation"),
        ("\"NED\"", "\"N1D\"", 2, "pairings[0].white.federation"),
        ("\"1/2-1/2\"", "\"2-0\"", 3, "pairings[1].result"),
        ("\"1/2-1/2\"", "1", 3, "pairings[1]"),
        ("{\"lname\":\"Dupont\",\"fname\":\"Élodie\"}", "null", 3, "pairings[1].white: there is no name"),
        ("{\"lname\":\"Dupont\",\"fname\":\"Élodie\"}", "{}", 3, "pairings[1].white: there is no name"),
        ("{\"lname\":\"Dupont\",\"fname\":\"Élodie\"}", "\"Dupont\"", 3, "pairings[1]"),
        ("\"lname\":\"Dupont\",\"fname\":\"Élodie\"", "\"lname\":\"Beispiel\",\"fname\":\"Anna\"", 3, "stands already on line 2"),
        ("\"lname\":\"Müller\",\"fname\":\"Jörg\"", "\"lname\":\"x\",\"fideid\":99000001", 3, "of FIDE"),
        ("\"lname\":\"Müller\"", &format!("\"lname\":\"{name}\""), 3, "characters"),
        ("\"lname\":\"Müller\"", "\"lname\":\"Müller\",\"lname\":\"x\"", 3, "duplicate"),
    ];
    all_refused(LIVECHESS, Format::Livechess, &rows);
    refused(b"", Format::Livechess, 1, "column");
    refused(b"{\"pairings\":[]}", Format::Livechess, 0, "no pairing");
}

#[test]
fn files_that_are_too_large_are_refused_at_once() {
    let pairing = r#"{"white":{"lname":"x"},"black":{"lname":"y"}},"#;
    let many = format!(r#"{{"pairings":[{}{{}}]}}"#, pairing.repeat(20_000));
    refused(many.as_bytes(), Format::Livechess, 0, "20001 pairings");
    refused("[White \"x\"]\n".repeat(50_000).as_bytes(), Format::Pgn, 1, "50000 tags");
    refused(",".repeat(1_000_000).as_bytes(), Format::Csv, 1, "no header line");
    let rows: String = (1..=600).map(|number| format!("{number},White {number},Black {number}\n")).collect();
    let table = format!("board,white,black\n{rows}");
    refused(table.as_bytes(), Format::Csv, 0, "600 pairings");
    refused(&vec![b' '; MAX_IMPORT as usize + 1], Format::Csv, 0, "more than");
    let options = Options { boards_from: Some(table.into_bytes()), ..Options::default() };
    let error = read(trf().as_bytes(), Format::Trf, &options).expect_err("too many");
    assert!(error.to_string().contains("--boards-from has 600 pairings"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    /// A good file in which any bytes are replaced by others, in any format: never a panic, and what is taken is a possible round.
    #[test]
    fn no_bytes_are_a_panic(
        format in prop::sample::select(vec![Format::Pgn, Format::Csv, Format::Trf, Format::Livechess]),
        like in 0_usize..5,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, prop::collection::vec(any::<u8>(), 0..30)), 0..6),
    ) {
        let trf = trf();
        let mut bytes = [PGN, CSV, &trf, LIVECHESS, ""][like].as_bytes().to_vec();
        for (at, length, with) in cuts {
            let at = at.index(bytes.len() + 1);
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, with);
        }
        for round in [None, Some(1), Some(99)] {
            let read = read(&bytes, format, &Options { round, ..Options::default() });
            if let Ok(imported) = read {
                let mut boards: Vec<u32> = imported.rows.iter().filter_map(|row| row.number).collect();
                let all = boards.len();
                boards.dedup();
                prop_assert!(all == imported.rows.len() && all == boards.len() && all > 0, "{imported:?}");
                prop_assert!(imported.rows.iter().all(|row| row.white.name.is_some() && row.black.name.is_some()));
            }
        }
    }
}
