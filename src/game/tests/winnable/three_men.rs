//! All legal positions of a king and one man against a king, against retrograde enumeration.

use flagfall_game::mate::check::check;
use flagfall_game::mate::{Answer, Budget, winnable};
use shakmaty::{Board, CastlingMode, Chess, Color, FromSetup, Position, Role, Setup, Square};

use crate::tally::print_line;

const MEN: [Role; 5] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
const ALL: usize = MEN.len() * 64 * 64 * 64 * 2;

/// The number of a position, made of White's king, White's man, Black's king and the side to move.
fn number(at: &Chess) -> Option<usize> {
    let board = at.board();
    let man = (board.white() & !board.kings()).single_square()?;
    let role = MEN.iter().position(|role| board.role_at(man) == Some(*role))?;
    let white = usize::from(board.king_of(Color::White)?);
    let black = usize::from(board.king_of(Color::Black)?);
    Some((((role * 64 + white) * 64 + usize::from(man)) * 64 + black) * 2 + usize::from(at.turn().is_white()))
}

fn numbered(number: usize) -> Option<Chess> {
    let square = |shift: usize| Square::new(u32::try_from(number >> shift & 63).expect("a square"));
    let (black, man, white) = (square(1), square(7), square(13));
    if black == man || man == white || black == white {
        return None;
    }
    let mut board = Board::empty();
    board.set_piece_at(white, Color::White.king());
    board.set_piece_at(black, Color::Black.king());
    board.set_piece_at(man, MEN[number >> 19].of(Color::White));
    let turn = Color::from_white(number % 2 == 1);
    Chess::from_setup(Setup { board, turn, ..Setup::empty() }, CastlingMode::Standard).ok()
}

/// For each position: `None` if it is illegal, else whether White can mate.
fn truth() -> Vec<Option<bool>> {
    let mut known = vec![None; ALL];
    let mut before: Vec<(u32, u32)> = Vec::new();
    let mut open = Vec::new();
    for (index, slot) in known.iter_mut().enumerate() {
        let Some(at) = numbered(index) else {
            continue;
        };
        let mate = at.is_checkmate() && at.turn() == Color::Black;
        *slot = Some(mate);
        if mate {
            open.push(index);
        }
        for step in at.legal_moves() {
            let mut after = at.clone();
            after.play_unchecked(step);
            if let Some(next) = number(&after) {
                let number = |index: usize| u32::try_from(index).expect("fits");
                before.push((number(next), number(index)));
            }
        }
    }
    before.sort_unstable();
    while let Some(index) = open.pop() {
        let first = before.partition_point(|(next, _)| (*next as usize) < index);
        for (_, from) in before[first..].iter().take_while(|(next, _)| *next as usize == index) {
            let slot = &mut known[*from as usize];
            if *slot == Some(false) {
                *slot = Some(true);
                open.push(*from as usize);
            }
        }
    }
    known
}

#[test]
#[ignore = "1.8 million positions: a minute, in a release build"]
fn all_three_men() {
    let truth = truth();
    let mut counts = [[0_u32; 2]; MEN.len()];
    for (index, known) in truth.into_iter().enumerate() {
        let (Some(known), Some(at)) = (known, numbered(index)) else {
            continue;
        };
        let answer = winnable(&at, Color::White, Budget::FULL);
        let says = match &answer {
            Answer::Winnable { .. } => Some(true),
            Answer::Unwinnable { .. } => Some(false),
            Answer::Undecided { .. } => None,
        };
        assert_eq!(says, Some(known), "{:?}: {answer:?}", at.board());
        // A shortest line is checked by exhaustion, which takes long; every line is replayed.
        let plain = match answer {
            Answer::Winnable { line, .. } => Answer::Winnable { line, shortest: false },
            other => other,
        };
        assert_eq!(check(&at, Color::White, &plain), Ok(()), "{:?}", at.board());
        counts[index >> 19][usize::from(known)] += 1;
    }
    print_line(&format!("{MEN:?}: [unwinnable, winnable] {counts:?}"));
    for (role, [_, won]) in MEN.iter().zip(counts) {
        let mates = !matches!(role, Role::Knight | Role::Bishop);
        assert_eq!(won > 0, mates, "{role:?}");
    }
}
