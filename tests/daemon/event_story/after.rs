//! After the round the organiser takes the results over into the files of the pairing program.

use flagfall::outputs::pgn::{Profile, result_of};
use flagfall::wire::outcome::GameResult;

use super::hall::Hall;
use super::organiser::players;

/// One line of the tournament report file: a player with the game of round 2.
fn line(rank: usize, name: &str, id: u32, opponent: usize, colour: char, result: char) -> String {
    let round_1 = " ".repeat(10);
    let round_2 = format!("{opponent:04} {colour} {result}");
    format!("001 {rank:>4}      {name:<33} {:>4} NED {id:>11} {:<10} {:>4} {rank:>4}  {round_1}{round_2}\r\n", 2000, "", "0.0")
}

/// `event results` writes the games of the second round as they were played, and their results into the report file.
pub(super) fn results_are_taken_over(hall: &Hall) {
    let (code, printed) = hall.organiser.asks(&["results", "--format", "pgn"]);
    assert_eq!((code, printed), (Some(0), hall.pgn(2, Profile::Full)));

    let truth = hall.truth(2);
    // The report file, without the results and with them.
    let report = |is_known: bool| -> String {
        let of_board = |(board, game)| {
            let marks = match result_of(&truth, game) {
                GameResult::WhiteWins => ['1', '0'],
                GameResult::BlackWins => ['0', '1'],
                GameResult::Draw => ['=', '='],
                GameResult::Open => panic!("board {board} has no result"),
            };
            let [white, black] =
                players(2, board).map(|player| (player.name.expect("a name"), player.fide_id.expect("a number")));
            let (first, second) = (2 * board - 1, 2 * board);
            let mark = |side: usize| if is_known { marks[side] } else { ' ' };
            [line(first, &white.0, white.1, second, 'w', mark(0)), line(second, &black.0, black.1, first, 'b', mark(1))].concat()
        };
        (1..).zip(&truth.games).map(of_board).collect()
    };
    let file = hall.organiser.write("open26.trf", &report(false));
    let (code, printed) = hall.organiser.asks(&["results", "--format", "trf", "--into", "open26.trf"]);
    assert_eq!(code, Some(0), "{printed}");
    assert_eq!(std::fs::read_to_string(file).expect("the file"), report(true));
}
