//! Makes the texts of rounds for outputs. Only games that have changed are written again.

use std::collections::BTreeMap;
use std::sync::Arc;

use flagfall_game::clock::control::TimeControl;

use super::body::{GameBody, RoundBody};
use super::model::{Game, Model};
use crate::config::{Output, OutputAudience, OutputProfile};
use crate::outputs::lcc::{self, Tournament};
use crate::outputs::pgn::{self, Profile};
use crate::outputs::round::{Round, RoundGame, date_and_time};
use crate::system_clock::Utc;
use crate::wire::outcome::GameResult;
use crate::wire::player::Players;

/// One form of one round.
type Key = (OutputAudience, bool, String);

/// The texts that were made, so that what has not changed is not made again.
#[derive(Default)]
pub(crate) struct Renderer(BTreeMap<Key, Rendered>);

/// A round as it was last rendered.
#[derive(Default)]
struct Rendered {
    /// The round without its games.
    head: Round,
    games: Vec<(Source, Arc<GameBody>)>,
}

/// All that a game's text depends on, beside the round.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    board: String,
    device: String,
    first_move: Option<Utc>,
    clock_read: Option<Utc>,
    game: RoundGame,
}

impl Renderer {
    /// All rounds that this output has something of.
    pub(crate) fn render(&mut self, model: &Model, output: &Output) -> Vec<RoundBody> {
        let audience = output.audience;
        let of_boards = model.rounds.keys().filter(|(of, _)| *of == audience).map(|(_, round)| round);
        let mut rounds: Vec<&String> = of_boards.chain(model.pairings.keys()).collect();
        rounds.sort_unstable();
        rounds.dedup();
        let mut bodies: Vec<(Option<u32>, RoundBody)> = Vec::new();
        for round in rounds {
            let rendered = self.update(model, audience, output.form(), round);
            let has = |game: &&(Source, Arc<GameBody>)| output.has_board(game.1.number);
            let shown: Vec<&(Source, Arc<GameBody>)> = rendered.games.iter().filter(has).collect();
            if shown.is_empty() {
                continue;
            }
            let games = shown.iter().map(|(source, _)| source.game.clone()).collect();
            let requests = model.pairings.get(round).and_then(|told| told.body.outputs.get(&output.name));
            let body = RoundBody {
                event: model.fixed.event.clone(),
                round: round.clone(),
                is_current: model.current_round() == round,
                lichess_round: model.pairings.get(round).and_then(|told| told.body.lichess_round.clone()),
                games: shown.iter().map(|(_, game)| Arc::clone(game)).collect(),
                tournament: String::new(),
                index: lcc::index(&Round { games, ..rendered.head.clone() }),
                requests: requests.copied().unwrap_or_default(),
                notes: model.notes(audience, round),
            };
            bodies.push((rendered.head.number, body));
        }
        let tournament = lcc::tournament(&tournament(model, &bodies));
        bodies.iter_mut().filter(|(_, body)| body.is_current).for_each(|(_, body)| body.tournament.clone_from(&tournament));
        bodies.into_iter().map(|(_, body)| body).collect()
    }

    /// Writes the games of a round that have changed.
    fn update(&mut self, model: &Model, audience: OutputAudience, profile: OutputProfile, round: &str) -> &Rendered {
        let key = (audience, profile == OutputProfile::Relay, round.to_owned());
        let rendered = self.0.entry(key).or_default();
        let head = head(model, round);
        let mut known: BTreeMap<String, (Source, Arc<GameBody>)> = BTreeMap::new();
        if rendered.head == head {
            known.extend(rendered.games.drain(..).map(|entry| (entry.0.game.id.clone(), entry)));
        }
        rendered.games = sources(model, audience, round)
            .into_iter()
            .map(|source| match known.remove(&source.game.id) {
                Some(entry) if entry.0 == source => entry,
                _ => {
                    let body = Arc::new(write(&head, &source, profile));
                    (source, body)
                }
            })
            .collect();
        rendered.head = head;
        rendered
    }
}

fn write(head: &Round, source: &Source, profile: OutputProfile) -> GameBody {
    let game = &source.game;
    let mut text = String::new();
    let written = match profile {
        OutputProfile::Full => Profile::Full,
        OutputProfile::Relay => Profile::Relay,
    };
    pgn::write_game(head, game, written, &mut text);
    let plies = match profile {
        OutputProfile::Full => game.shown.as_ref().map_or(0, |shown| pgn::legal_plies(shown, head.chess960).0),
        OutputProfile::Relay => pgn::first_part_plies(head, game),
    };
    GameBody {
        board: source.board.clone(),
        number: game.board,
        plies: plies as u32,
        is_on: plies > 0 && pgn::result_of(head, game) == GameResult::Open,
        pgn: text,
        json: lcc::game(head, game, &source.device, source.first_move, source.clock_read),
    }
}

/// What is known of a round, without its games.
fn head(model: &Model, round: &str) -> Round {
    let event = model.event.as_ref().map(|event| &event.body);
    let told = model.pairings.get(round).map(|told| &told.body);
    let place = event.map(|event| format!("{} {}", event.site, event.country).trim().to_owned());
    let control = event.and_then(|event| TimeControl::parse(event.time_control.as_deref()?).ok());
    Round {
        event: event.map_or(&model.fixed.event, |event| &event.name).clone(),
        site: place.unwrap_or_default(),
        number: told.map(|told| told.number).or_else(|| round.parse().ok()),
        date: told.and_then(|told| told.date.as_ref()).map(|date| date.replace('-', ".")),
        time_control: control.or_else(|| model.fixed.time_control.clone()),
        chess960: model.chess960(),
        games: Vec::new(),
    }
}

/// The games of a round in the order of their boards.
fn sources(model: &Model, audience: OutputAudience, round: &str) -> Vec<Source> {
    let boards = model.rounds.get(&(audience, round.to_owned())).map(|round| &round.boards);
    let pairings = model.pairings.get(round).map(|told| told.body.boards.as_slice()).unwrap_or_default();
    let mut all: Vec<(u32, &str)> = pairings.iter().map(|pairing| (pairing.number, pairing.board.as_str())).collect();
    let unpaired = boards.into_iter().flatten().filter(|(_, board)| !board.games.is_empty() && pairings.is_empty());
    all.extend(unpaired.map(|(id, board)| (board.number, id.as_str())));
    all.sort_unstable();
    let mut sources = Vec::new();
    for (number, id) in all {
        let board = boards.and_then(|boards| boards.get(id));
        let pairing = model.pairing(round, id);
        let games = board.map(|board| board.games.as_slice()).unwrap_or_default();
        let mut add = |index: usize, game: Option<&Game>| {
            let shown = game.map(|game| game.whole(model.chess960()));
            let of_pairing = pairing.and_then(|pairing| Players::known(Some(pairing.white.clone()), Some(pairing.black.clone())));
            let of_state = shown.as_ref().and_then(|shown| shown.players.clone());
            let replaced = pairing.map_or(0, |pairing| pairing.replaced);
            let suffix = [("p", replaced as usize), ("g", index)].into_iter().filter(|(_, count)| *count > 0);
            let suffix: String = suffix.map(|(letter, count)| format!("-{letter}{}", count + 1)).collect();
            let first_move = game.and_then(|game| game.first_move).map(Utc);
            sources.push(Source {
                board: id.to_owned(),
                device: pairing.and_then(|pairing| pairing.device.clone()).unwrap_or_else(|| id.to_owned()),
                first_move,
                clock_read: game.and_then(|game| game.clock_read).map(Utc),
                game: RoundGame {
                    board: number,
                    id: format!("{}-{round}-{id}{suffix}", model.fixed.event),
                    players: of_pairing.or(of_state).unwrap_or_default(),
                    began: first_move.map(date_and_time),
                    shown,
                    pairing_result: pairing.and_then(|pairing| pairing.result).filter(|_| index == 0),
                    termination: None,
                },
            });
        };
        add(0, games.first());
        games.iter().enumerate().skip(1).for_each(|(index, game)| add(index, Some(game)));
    }
    sources
}

fn tournament(model: &Model, bodies: &[(Option<u32>, RoundBody)]) -> Tournament {
    let event = model.event.as_ref().map(|event| &event.body);
    let last = bodies.iter().filter_map(|(number, _)| *number).max().unwrap_or_default();
    let announced = event.map_or(0, |event| event.rounds);
    let mut rounds = vec![(0, 0); last.max(announced).min(crate::wire::meta::MAX_ROUNDS) as usize];
    for (number, body) in bodies {
        let entry = number.and_then(|number| rounds.get_mut((number as usize).checked_sub(1)?));
        if let Some(entry) = entry {
            *entry = (body.games.len(), body.games.iter().filter(|game| game.is_on).count());
        }
    }
    let current = model.pairings.get(model.current_round()).map(|told| told.body.boards.as_slice()).unwrap_or_default();
    let control = event.and_then(|event| event.time_control.clone());
    Tournament {
        id: event.map_or(&model.fixed.event, |event| &event.uuid).clone(),
        name: event.map_or(&model.fixed.event, |event| &event.name).clone(),
        location: event.map(|event| event.site.clone()).unwrap_or_default(),
        country: event.map(|event| event.country.clone()).unwrap_or_default(),
        chess960: model.chess960(),
        time_control: control.or_else(|| model.fixed.time_control.as_ref().map(ToString::to_string)).unwrap_or_default(),
        rounds,
        devices: current.iter().filter_map(|pairing| pairing.device.clone()).collect(),
    }
}
