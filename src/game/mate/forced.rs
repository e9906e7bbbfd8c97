//! Determines whether a player can force mate, whatever the opponent does (US Chess rules 14E2, 14E3).
//!
//! For each position that arises, the search follows all moves of the player and one reply of the opponent. When this reply is
//! shown to lose, it follows the next one. If no position is left to follow, the replies form a defence that never ends. If the
//! first position is lost, all replies have been tried on the way to each mate. A position that is met again is a draw, by
//! repetition or by the rule of 50 moves, so both answers are exact.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position, PositionError, Role};

use super::homes::Homes;
use super::key::{Key, MOST_MEN, pack, unpack};
use super::roam::{self, Roam};

/// The answer whether a player can force mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// He mates against every defence, in at most this number of half-moves, including those of the opponent.
    Win {
        /// The number of half-moves; a smaller one may be possible.
        plies: u32,
    },
    /// The opponent has a defence that never ends.
    None,
    /// The limit was reached first.
    Open,
}

/// The largest number of tables of the walking king in one search.
const MOST_TABLES: usize = 12;
/// The number of steps through known positions that take about as long as one new position.
const STEPS: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The position was not examined yet.
    Fresh,
    /// Its moves are known, and it is not known to be lost.
    Grown,
    /// The opponent holds the position for ever.
    Safe,
    /// The opponent is mated in at most this number of half-moves.
    Lost(u32),
}

struct Node {
    key: Key,
    state: State,
    /// All moves of the player, or the replies of the opponent that are worth a try.
    next: Vec<u32>,
    before: Vec<u32>,
    /// The reply of the opponent that is followed.
    reply: Option<u32>,
    /// The last walk that came to this position.
    walk: u32,
}

// The bytes that `forced` promises are three times this size while the list grows, the key in the map, and an edge.
const _: () = assert!(size_of::<Node>() <= 104);

struct Search {
    nodes: Vec<Node>,
    numbers: BTreeMap<Key, u32>,
    tables: Vec<Roam>,
    /// The number of positions that may still be generated, and how many of them tables may cost.
    left: u32,
    for_tables: u32,
    walk: u32,
}

/// Tells whether `side` can force mate, with at most `nodes` generated positions. It uses at most 500 bytes for each, and 1
/// MiB for tables; no table is made before its first positions are paid for. En passant and castling are part of the
/// position; the counts of moves and repetitions before it are not. The same question always has the same answer, also with
/// the sides exchanged. Two knights against a king alone always need only a few hundred nodes.
pub fn forced(position: &Chess, side: Color, nodes: u32) -> Forced {
    search(position, side, nodes).0
}

/// The answer and its cost.
pub(super) fn search(position: &Chess, side: Color, nodes: u32) -> (Forced, u32) {
    if position.has_insufficient_material(side) {
        return (Forced::None, 0);
    }
    let mut setup = position.to_setup(EnPassantMode::Legal);
    if side.is_black() {
        setup.mirror();
    }
    // From here on the player is White, so that moves come in the same order for both.
    let root = Chess::from_setup(setup, CastlingMode::Chess960)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material);
    let Ok(root) = root.map_err(drop) else { return (Forced::Open, 0) };
    if root.board().occupied().count() > MOST_MEN {
        return (Forced::Open, 0);
    }
    let tables = Vec::new();
    let mut search = Search { nodes: Vec::new(), numbers: BTreeMap::new(), tables, left: nodes, for_tables: nodes / 2, walk: 0 };
    search.number(pack(&root));
    let answer = search.run(&root).unwrap_or(Forced::Open);
    (answer, nodes - search.left)
}

impl Search {
    /// Returns `None` when the limit is reached.
    fn run(&mut self, root: &Chess) -> Option<Forced> {
        self.prepare(root);
        if self.held(root) {
            return Some(Forced::None);
        }
        loop {
            let open = self.followed()?;
            if open.is_empty() {
                return Some(Forced::None);
            }
            for number in open {
                // A result found in the meantime may have settled it.
                if self.nodes[number as usize].state == State::Fresh {
                    self.grow(number)?;
                }
                if let State::Lost(plies) = self.nodes[0].state {
                    return Some(Forced::Win { plies });
                }
            }
        }
    }

    fn number(&mut self, key: Key) -> u32 {
        // This is not more than the positions generated, which a u32 counts.
        let new = self.nodes.len() as u32;
        let number = *self.numbers.entry(key).or_insert(new);
        if number == new {
            self.nodes.push(Node { key, state: State::Fresh, next: Vec::new(), before: Vec::new(), reply: None, walk: 0 });
        }
        number
    }

    fn pay(&mut self, cost: u32) -> Option<()> {
        self.left = self.left.checked_sub(cost)?;
        Some(())
    }

    /// The positions of the present defence that were not examined yet, near ones first.
    fn followed(&mut self) -> Option<Vec<u32>> {
        self.walk += 1;
        let mut met = vec![0];
        let mut open = Vec::new();
        let mut index = 0;
        while let Some(number) = met.get(index).copied() {
            index += 1;
            let node = &mut self.nodes[number as usize];
            if core::mem::replace(&mut node.walk, self.walk) == self.walk {
                continue;
            }
            match (node.state, node.reply) {
                (State::Fresh, _) => open.push(number),
                (State::Grown, Some(reply)) => met.push(reply),
                (State::Grown, None) => met.extend(&node.next),
                _ => {}
            }
        }
        self.pay(met.len() as u32 / STEPS)?;
        Some(open)
    }

    /// Makes tables for the opponent's men on their present squares, if there are none and the limit allows it.
    fn prepare(&mut self, at: &Chess) {
        let board = at.board();
        if self.for_tables == 0 || self.tables.len() == MOST_TABLES {
            return;
        }
        let Some(walker) = roam::walker(board) else { return };
        for homes in [Homes::moving(board), Some(Homes::still(board))].into_iter().flatten() {
            let known = self.tables.iter().any(|table| table.stays() == homes.stay && table.covers(board));
            if self.tables.len() == MOST_TABLES || known || self.held(at) {
                return;
            }
            let most = self.for_tables.min(self.left);
            let mut left = most;
            let table = Roam::new(walker, homes, &mut left);
            self.left -= most - left;
            // After the first table that is too expensive no other is tried, because they cost about the same.
            self.for_tables = if table.is_some() { self.for_tables - (most - left) } else { 0 };
            self.tables.extend(table);
        }
    }

    /// True if a cheap check shows that no mate can be forced here.
    fn held(&self, at: &Chess) -> bool {
        at.has_insufficient_material(Color::White) || self.tables.iter().any(|table| table.safe(at))
    }

    /// Examines the moves of a position.
    fn grow(&mut self, number: u32) -> Option<()> {
        // The keys of the search are keys of positions.
        let at = unpack(&self.nodes[number as usize].key)?;
        let moves = at.legal_moves();
        let ours = at.turn().is_white();
        if ours {
            self.prepare(&at);
        }
        if moves.is_empty() && !ours && at.is_check() {
            return self.lose(number, 0);
        }
        if moves.is_empty() || self.held(&at) {
            self.nodes[number as usize].state = State::Safe;
            return Some(());
        }
        let mut next: Vec<(u32, Key)> = Vec::new();
        for step in moves {
            self.pay(1)?;
            let mut after = at.clone();
            after.play_unchecked(step);
            match (ours, self.held(&after)) {
                (true, false) if after.is_check() && after.legal_moves().is_empty() => return self.lose(number, 1),
                (_, false) => next.push((if ours { 0 } else { order(&step) }, pack(&after))),
                (true, true) => {}
                (false, true) => {
                    self.nodes[number as usize].state = State::Safe;
                    return Some(());
                }
            }
        }
        if ours && only_at_once(&at) {
            next.clear();
        }
        next.sort_by_key(|(order, _)| *order);
        let next: Vec<u32> = next.into_iter().map(|(_, key)| self.number(key)).collect();
        for after in &next {
            self.nodes[*after as usize].before.push(number);
        }
        let lost = next.iter().find_map(|after| match self.nodes[*after as usize].state {
            State::Lost(plies) => Some(plies + 1),
            _ => None,
        });
        let node = &mut self.nodes[number as usize];
        node.state = if next.is_empty() { State::Safe } else { State::Grown };
        node.next = next;
        match lost {
            Some(plies) if ours => self.lose(number, plies),
            _ if !ours => match self.choose(number) {
                Some(plies) => self.lose(number, plies),
                None => Some(()),
            },
            _ => Some(()),
        }
    }

    /// Follows another reply, a known one before a new one. Returns the half-moves to mate if all replies lose.
    fn choose(&mut self, number: u32) -> Option<u32> {
        let mut longest = 0;
        let mut fresh = None;
        let mut known = None;
        for after in &self.nodes[number as usize].next {
            match self.nodes[*after as usize].state {
                State::Lost(plies) => longest = longest.max(plies + 1),
                State::Fresh => fresh = fresh.or(Some(*after)),
                State::Safe | State::Grown => known = known.or(Some(*after)),
            }
        }
        let reply = known.or(fresh);
        self.nodes[number as usize].reply = reply;
        if reply.is_none() { Some(longest) } else { None }
    }

    /// Marks the position as lost for the opponent, with the positions that lead to it.
    fn lose(&mut self, number: u32, plies: u32) -> Option<()> {
        self.nodes[number as usize].state = State::Lost(plies);
        let mut open = vec![number];
        let mut index = 0;
        while let Some(number) = open.get(index).copied() {
            index += 1;
            let State::Lost(plies) = self.nodes[number as usize].state else { continue };
            for before in core::mem::take(&mut self.nodes[number as usize].before) {
                let node = &self.nodes[before as usize];
                let lost = match (node.state, node.reply) {
                    (State::Grown, None) => Some(plies + 1),
                    (State::Grown, Some(reply)) if reply == number => self.choose(before),
                    _ => None,
                };
                if let Some(plies) = lost {
                    self.nodes[before as usize].state = State::Lost(plies);
                    open.push(before);
                }
            }
        }
        Some(())
    }
}

/// Two knights against a king alone: White mates with the next move or never. Unless Black is mated, he has a reply that
/// allows no immediate mate (the tests count all positions of the class).
fn only_at_once(at: &Chess) -> bool {
    let board = at.board();
    (board.white() & !board.kings()).is_subset(board.knights()) && board.white().count() == 3 && !board.black().more_than_one()
}

/// Replies that need the fewest new positions come first.
fn order(step: &Move) -> u32 {
    match step {
        _ if step.is_capture() => 0,
        _ if step.role() == Role::King => 1,
        _ if step.role() == Role::Pawn => 3,
        _ => 2,
    }
}
