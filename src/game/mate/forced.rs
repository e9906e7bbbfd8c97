//! Can a player force mate, whatever the opponent does (US Chess rules 14E2, 14E3)?
//!
//! Of each position that arises the search follows all moves of the player, and one reply of the opponent, the next one
//! once the first is shown to lose. When no position is left to follow, those that are form a defence that never ends; when
//! the first position is lost, all replies have been tried on the way to each mate. A position met again is a draw, by
//! repetition or the rule of 50 moves, so both answers are exact.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, FromSetup, Move, Position, PositionError, Role};

use super::homes::Homes;
use super::key::{Key, MOST_MEN, pack, unpack};
use super::roam::{self, Roam};

/// What a player can force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forced {
    /// He mates against every defence, in at most so many half-moves, the opponent's included.
    Win {
        /// Not always the fewest that would do.
        plies: u32,
    },
    /// The opponent has a defence for ever.
    None,
    /// The bound came first.
    Open,
}

/// Tables of the walking king in one search.
const MOST_TABLES: usize = 12;
/// Steps of a walk through the known positions that take about as long as one new position.
const STEPS: u32 = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not looked at.
    Fresh,
    /// Its moves are known, and it is not known to be lost.
    Grown,
    /// The opponent holds it, whatever comes.
    Safe,
    /// The opponent is mated in at most so many half-moves.
    Lost(u32),
}

struct Node {
    key: Key,
    state: State,
    /// All moves of the player, or the replies of the opponent that are worth a try.
    next: Vec<u32>,
    before: Vec<u32>,
    /// The opponent's reply that is followed.
    reply: Option<u32>,
    /// The last walk that came here.
    walk: u32,
}

// Of the bytes that `forced` promises: three times this while the list grows, its key in the map, and an edge.
const _: () = assert!(size_of::<Node>() <= 104);

struct Search {
    nodes: Vec<Node>,
    numbers: BTreeMap<Key, u32>,
    tables: Vec<Roam>,
    /// Positions that may still be generated, and how many of them tables may cost.
    left: u32,
    for_tables: u32,
    walk: u32,
}

/// Whether `side` can force mate, by at most `nodes` generated positions (memory, whatever `nodes` is: at most 500 bytes
/// each, and 1 MiB of tables, none of which is made before its first positions are paid). En passant and castling are part
/// of the position; the counts of moves and of repetitions before it are not. Same question, same answer; sides exchanged,
/// same answer. Two knights against a king alone are always settled by a few hundred nodes.
pub fn forced(position: &Chess, side: Color, nodes: u32) -> Forced {
    search(position, side, nodes).0
}

/// The answer and what it cost.
pub(super) fn search(position: &Chess, side: Color, nodes: u32) -> (Forced, u32) {
    if position.has_insufficient_material(side) {
        return (Forced::None, 0);
    }
    let mut setup = position.to_setup(EnPassantMode::Legal);
    if side.is_black() {
        setup.mirror();
    }
    // The player is White from here on, so that moves come in the same order for both.
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
    /// `None` when the bound is reached.
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
                // What was found meanwhile may have settled it.
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
        // No more than positions generated, which a u32 counts.
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

    /// The positions of the present defence that have not been looked at, near ones first.
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

    /// Tables for the opponent's men where they are, if there are none and the bound allows it.
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
            // The first that is too dear is the last: the others cost about the same.
            self.for_tables = if table.is_some() { self.for_tables - (most - left) } else { 0 };
            self.tables.extend(table);
        }
    }

    /// No mate can be forced here, by what is cheap to see.
    fn held(&self, at: &Chess) -> bool {
        at.has_insufficient_material(Color::White) || self.tables.iter().any(|table| table.safe(at))
    }

    /// Looks at the moves of a position.
    fn grow(&mut self, number: u32) -> Option<()> {
        // Keys of the search are those of positions.
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

    /// Follows another reply, one that is known before a new one; the half-moves to mate if all are lost.
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

    /// The position is lost for the opponent, and so is what leads to it.
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

/// Two knights against a king alone: White mates with the next move or not at all, for unless Black is mated he has a
/// reply that allows no mate at once (the tests count all positions of the class).
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
