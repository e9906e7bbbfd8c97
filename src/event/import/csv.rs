//! Reads pairings from CSV with a header line. The separator is found by the header, and the columns may have the names that pairing
//! programs give them in four languages. In lists of chess-results.com each column of a player stands twice, White's first.

use super::{Imported, Problems, Row, fields};
use crate::outputs::names;
use crate::wire::player::Player;

/// The header is looked for in so many lines: such files begin with the name of the event.
const HEADER_WITHIN: usize = 20;
/// A header has at most so many columns.
const MAX_COLUMNS: usize = 200;
/// The separators, in the order in which they are tried.
const SEPARATORS: [u8; 3] = [b';', b'\t', b','];

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Round,
    Board,
    Result,
    /// A value of White (0) or Black (1).
    Of(usize, Field),
    Ignored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Name,
    Title,
    Rating,
    Federation,
    FideId,
}

/// The names of columns, in lower case and without dots, blanks, `_` and `-`.
const SHARED: [(Column, &[&str]); 3] = [
    (Column::Round, &["round", "rd", "runde", "ronda", "ronde"]),
    (
        Column::Board,
        &[
            "board",
            "bo",
            "bd",
            "boardno",
            "br",
            "brett",
            "brettnr",
            "tisch",
            "table",
            "tab",
            "ech",
            "échiquier",
            "echiquier",
            "mesa",
            "tablero",
        ],
    ),
    (Column::Result, &["result", "res", "ergebnis", "erg", "resultado", "résultat", "resultat"]),
];
const FIELDS: [(Field, &[&str]); 5] = [
    (Field::Name, &["", "name", "player", "spieler", "nombre", "jugador", "nom", "joueur"]),
    (Field::Title, &["title", "titel", "título", "titulo", "titre"]),
    (Field::Rating, &["rating", "rtg", "elo", "ratingi"]),
    (Field::Federation, &["fed", "federation", "land", "verband", "federación", "federacion", "fédération"]),
    (Field::FideId, &["fideid", "idfide", "fidenr", "fide"]),
];
const SIDES: [&[&str]; 2] =
    [&["white", "weiß", "weiss", "blancas", "blanco", "blancs"], &["black", "schwarz", "negras", "negro", "noirs"]];

/// One line of the table with its number.
struct Record {
    line: usize,
    values: Vec<String>,
}

pub(super) fn read(text: &str) -> Result<Imported, Problems> {
    for separator in SEPARATORS {
        let records = split(text, separator)?;
        let header = records.iter().take(HEADER_WITHIN).position(|record| {
            if record.values.len() > MAX_COLUMNS {
                return false;
            }
            let columns = columns(&record.values);
            [0, 1].iter().all(|side| columns.contains(&Column::Of(*side, Field::Name)))
        });
        if let Some(header) = header {
            return table(&records[header], &records[header + 1..]);
        }
    }
    let first = text.lines().next().unwrap_or_default().chars().take(80).collect::<String>();
    Err(Problems::one(1, format!("there is no header line with the columns board, white and black; the first line is {first:?}")))
}

fn split(text: &str, separator: u8) -> Result<Vec<Record>, Problems> {
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(text.as_bytes());
    let mut records = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| Problems::one(0, error.to_string()))?;
        let line = record.position().map_or(0, |position| position.line() as usize);
        records.push(Record { line, values: record.iter().map(|cell| names::of_csv_cell(cell).to_owned()).collect() });
    }
    Ok(records)
}

/// What the columns of a header have.
fn columns(header: &[String]) -> Vec<Column> {
    let plain = |text: &String| -> String {
        text.to_lowercase().chars().filter(|char| !char.is_whitespace() && !matches!(char, '.' | '_' | '-' | ':')).collect()
    };
    let names: Vec<String> = header.iter().map(plain).collect();
    let mut columns: Vec<Column> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let shared = SHARED.iter().find(|(_, words)| words.contains(&name.as_str())).map(|(column, _)| *column);
        let of_side = SIDES.iter().enumerate().find_map(|(side, words)| {
            let rest = words.iter().find_map(|word| name.strip_prefix(word))?;
            field(rest).map(|field| Column::Of(side, field))
        });
        // An empty name before that of a player is the column of titles.
        let next = names.get(index + 1).filter(|_| name.is_empty()).map(String::as_str);
        let is_title = next.is_some_and(|next| next == "name" || SIDES.iter().any(|words| words.contains(&next)));
        let twice = if is_title { Some(Field::Title) } else { field(name).filter(|_| !name.is_empty()) };
        let of_either = || {
            let field = twice?;
            (0..2).map(|side| Column::Of(side, field)).find(|column| !columns.contains(column))
        };
        let column = shared.or(of_side).or_else(of_either).unwrap_or(Column::Ignored);
        columns.push(column);
    }
    columns
}

fn field(name: &str) -> Option<Field> {
    FIELDS.iter().find(|(_, words)| words.contains(&name)).map(|(field, _)| *field)
}

fn table(header: &Record, records: &[Record]) -> Result<Imported, Problems> {
    let mut problems = Problems::default();
    let mut imported = Imported::default();
    let columns = columns(&header.values);
    for (index, column) in columns.iter().enumerate() {
        let name = &header.values[index];
        if *column == Column::Ignored && !name.trim().is_empty() {
            imported.notes.push(format!("line {}: the column {name:?} is not used", header.line));
        } else if *column != Column::Ignored && columns[..index].contains(column) {
            problems.add(header.line, format!("the column {name:?} stands twice"));
        }
    }
    for record in records.iter().filter(|record| record.values.iter().any(|value| !value.trim().is_empty())) {
        let line = record.line;
        if let Some(value) = record.values.iter().find(|value| value.contains('\n')) {
            let begin: String = value.chars().take_while(|char| *char != '\n').take(40).collect();
            problems.add(line, format!("a value goes on over the end of the line: a quotation mark is missing after {begin:?}"));
            continue;
        }
        let value = |wanted: Column| {
            let index = columns.iter().position(|column| *column == wanted)?;
            record.values.get(index).map(|value| (value.as_str(), header.values[index].trim()))
        };
        let names = [0, 1].map(|side| value(Column::Of(side, Field::Name)).map_or("", |(name, _)| name.trim()));
        // A line with one value only is a title or the name of the program, above or below the table.
        let mut filled = record.values.iter().map(|value| value.trim()).filter(|value| !value.is_empty());
        if let (["", ""], Some(only), None) = (names, filled.next(), filled.next()) {
            imported.notes.push(format!("line {line}: {:?} is no pairing", only.chars().take(60).collect::<String>()));
            continue;
        }
        if record.values.len() != columns.len() {
            problems.add(line, format!("there are {} values, the header has {} columns", record.values.len(), columns.len()));
            continue;
        }
        let mut row = Row { line, ..Row::default() };
        let label = |name: &str| format!("column {name:?}");
        if let Some((text, name)) = value(Column::Round) {
            row.round = problems.take(line, &label(name), fields::round(text));
        }
        if let Some((text, name)) = value(Column::Board) {
            row.number = problems.take(line, &label(name), fields::board(text));
        }
        if let Some((text, name)) = value(Column::Result) {
            row.result = problems.take(line, &label(name), fields::result(text));
        }
        for (side, player) in [&mut row.white, &mut row.black].into_iter().enumerate() {
            let of = |field| value(Column::Of(side, field));
            let Player { name, title, rating, federation, fide_id } = player;
            read_into(name, of(Field::Name), fields::name, line, &mut problems);
            read_into(title, of(Field::Title), fields::title, line, &mut problems);
            read_into(rating, of(Field::Rating), fields::rating, line, &mut problems);
            read_into(federation, of(Field::Federation), fields::federation, line, &mut problems);
            read_into(fide_id, of(Field::FideId), fields::fide_id, line, &mut problems);
        }
        imported.rows.push(row);
    }
    problems.ok(imported)
}

/// Reads one value, if the table has such a column.
fn read_into<T>(
    into: &mut Option<T>,
    value: Option<(&str, &str)>,
    read: fn(&str) -> Result<Option<T>, String>,
    line: usize,
    problems: &mut Problems,
) {
    if let Some((text, column)) = value {
        *into = problems.take(line, &format!("column {column:?}"), read(text));
    }
}
