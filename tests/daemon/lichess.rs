//! Pushes to a lichess of our own, which takes games by the rules of the real one.

pub(crate) mod fake;
mod rounds;

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use flagfall::collect::body::{GameBody, RoundBody};
use flagfall::collect::sinks::lichess::Lines;
use flagfall::collect::sinks::{Answer, Verdict, make};
use flagfall::config::{Output, OutputKind};
use flagfall::outputs::pgn::{self, Profile};
use flagfall::outputs::picture::{Body, PictureMove};
use flagfall::outputs::round::{Round, RoundGame};
use flagfall::system_clock::monotonic;
use flagfall::wire::outcome::GameResult;
use flagfall::wire::player::{Player, Players};
use shakmaty::san::SanPlus;
use shakmaty::{Chess, Position};

use self::fake::{FakeLichess, ROUND, TOKEN, Trouble};
use crate::collect::{CollectHall, Published};
use crate::support::mqtt::{Mosquitto, MosquittoSub};
use crate::support::seconds::assert_within;
use crate::support::seeds::campaign;
use crate::support::waiting::{PATIENCE, wait_until};

/// The file with the token.
fn token(text: &str) -> tempfile::NamedTempFile {
    // A temporary file can be read by its owner only.
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    std::io::Write::write_all(&mut file, text.as_bytes()).expect("written");
    file
}

fn output(lichess: &FakeLichess, token: &tempfile::NamedTempFile) -> Output {
    let toml = format!(
        "name = \"lichess\"\nkind = \"lichess\"\nurl = {:?}\ntoken_file = {:?}\nround = \"{ROUND}\"\n",
        lichess.url(),
        token.path()
    );
    let output: Output = toml::from_str(&toml).expect("an output");
    assert_eq!(output.kind, OutputKind::Lichess);
    output
}

/// A board of the round: what was played on it.
#[derive(Clone, Default)]
struct Board {
    number: u32,
    white: String,
    position: Chess,
    moves: Vec<String>,
    result: Option<GameResult>,
}

impl Board {
    fn new(number: u32) -> Board {
        Board { number, white: format!("White, Number {number}"), ..Board::default() }
    }

    fn play(&mut self, rng: &mut Rng, plies: usize) {
        for _ in 0..plies {
            let legal = self.position.legal_moves();
            let Some(mv) = rng.choice(legal.iter().copied()) else { return };
            self.moves.push(SanPlus::from_move_and_play_unchecked(&mut self.position, mv).to_string());
        }
    }

    fn game(&self) -> RoundGame {
        let played = |san: &String| PictureMove { san: san.clone(), white_ms: Some(5_000_000), black_ms: Some(4_000_000) };
        let body = Body {
            game_no: 1,
            initial_fen: shakmaty::fen::Fen::from_position(&Chess::default(), shakmaty::EnPassantMode::Legal).to_string(),
            moves: self.moves.iter().map(played).collect(),
            result: self.result,
            ..Body::default()
        };
        RoundGame {
            board: self.number,
            id: format!("open26-5-{}", self.number),
            players: Players {
                white: Some(Player::named(&self.white)),
                black: Some(Player::named(&format!("Black {}", self.number))),
            },
            shown: Some(body),
            ..RoundGame::default()
        }
    }
}

fn body(boards: &[Board]) -> RoundBody {
    let round = Round { event: "Open".to_owned(), number: Some(5), ..Round::default() };
    let game = |board: &Board| {
        let mut pgn = String::new();
        pgn::write_game(&round, &board.game(), Profile::Relay, &mut pgn);
        let (plies, is_on) = (board.moves.len() as u32, board.result.is_none() && !board.moves.is_empty());
        Arc::new(GameBody { board: board.number.to_string(), number: board.number, plies, is_on, pgn, json: String::new() })
    };
    RoundBody {
        event: "open26".to_owned(),
        round: "5".to_owned(),
        is_current: true,
        lichess_round: Some(ROUND.to_owned()),
        games: boards.iter().map(game).collect(),
        ..RoundBody::default()
    }
}

fn push(lichess: &FakeLichess, text: &str, boards: &[Board]) -> Answer {
    let token = token(text);
    make(&output(lichess, &token), &mut Lines::default(), &Arc::default()).send(&body(boards))
}

/// After any sequence of faults each game is in its own chapter and has the moves that were played.
#[test]
fn after_any_faults_the_chapters_are_the_truth() {
    campaign("pushes to lichess", 0..12, |seed| {
        let mut rng = Rng::with_seed(seed);
        let lichess = FakeLichess::start();
        let token = token(TOKEN);
        let mut sink = make(&output(&lichess, &token), &mut Lines::default(), &Arc::default());
        let mut boards: Vec<Board> = (1..=8).map(Board::new).collect();
        let mut pushes = 0;
        for _ in 0..30 {
            for board in &mut boards {
                let plies = rng.usize(0..3);
                board.play(&mut rng, plies);
            }
            // A name is corrected in the middle of the round.
            if rng.u8(0..10) == 0 {
                rng.choice(&mut boards).expect("a board").white.push('x');
            }
            let troubles = [Trouble::Status(500), Trouble::Status(503), Trouble::CutBody, Trouble::NoAnswer];
            let trouble = rng.choice(troubles).filter(|_| rng.bool());
            lichess.with(|round| round.troubles.extend(trouble));
            let answer = sink.send(&body(&boards));
            let expected = if trouble.is_none() { Verdict::Accepted } else { Verdict::Retry(None) };
            assert_eq!(answer.verdict, expected, "{trouble:?}: {answer:?}");
            assert_eq!(answer.boards, [], "{answer:?}");
            assert!(!format!("{answer:?}").contains(TOKEN));
            pushes += 1;
        }
        assert_eq!(sink.send(&body(&boards)).verdict, Verdict::Accepted);
        let chapters = lichess.with(|round| std::mem::take(&mut round.chapters));
        assert_eq!(chapters.len(), boards.len());
        for board in &boards {
            let id = format!("open26-5-{}", board.number);
            let chapter = chapters.iter().find(|chapter| chapter.tag("GameId") == id).expect("a chapter for each game");
            assert_eq!((&chapter.moves, chapter.tag("White"), chapter.side_lines), (&board.moves, board.white.as_str(), 0));
        }
        pushes
    });
}

/// What each answer of lichess means, in words that say what to do.
#[test]
fn what_lichess_answers_is_said_in_words() {
    let mut rng = Rng::with_seed(7);
    let mut boards = vec![Board::new(1), Board::new(2)];
    boards.iter_mut().for_each(|board| board.play(&mut rng, 6));
    let rows: &[(Option<Trouble>, &str, Verdict, &str)] = &[
        (None, TOKEN, Verdict::Accepted, ""),
        (None, "lip_other", Verdict::Refused, "study:write"),
        (None, "two\u{7}words", Verdict::Refused, "is no token"),
        (None, "", Verdict::Refused, "the token, is empty"),
        (Some(Trouble::Status(401)), TOKEN, Verdict::Refused, "The token is not valid"),
        (Some(Trouble::Status(403)), TOKEN, Verdict::Refused, "contributor"),
        (Some(Trouble::Status(404)), TOKEN, Verdict::Refused, "no round abcd1234"),
        (Some(Trouble::Status(302)), TOKEN, Verdict::Refused, "the key url"),
        (Some(Trouble::Status(500)), TOKEN, Verdict::Retry(None), "status 500"),
        (Some(Trouble::CutBody), TOKEN, Verdict::Retry(None), "cannot be reached"),
    ];
    for (trouble, token, verdict, words) in rows {
        let lichess = FakeLichess::start();
        lichess.with(|round| round.troubles.extend(*trouble));
        let answer = push(&lichess, token, &boards);
        assert_eq!(answer.verdict, *verdict, "{trouble:?} {answer:?}");
        assert!(answer.message.contains(words), "{trouble:?} {answer:?}");
        assert!(token.is_empty() || !format!("{answer:?}").contains(*token), "{answer:?}");
    }
}

/// After "too many requests" no output with this account sends for a minute.
#[test]
fn too_many_requests_stop_all_outputs_of_the_account() {
    let lichess = FakeLichess::start();
    let token = token(TOKEN);
    let mut lines = Lines::default();
    let output = output(&lichess, &token);
    let (mut one, mut other) = (make(&output, &mut lines, &Arc::default()), make(&output, &mut lines, &Arc::default()));
    lichess.with(|round| round.troubles.push_back(Trouble::Status(429)));
    let body = body(&[Board::new(1)]);
    assert_eq!(one.send(&body).verdict, Verdict::Retry(Some(Duration::from_secs(60))));
    let Answer { verdict: Verdict::Retry(Some(wait)), http: Some(429), .. } = other.send(&body) else { panic!("it sends") };
    assert!(wait.as_secs() >= 55, "{wait:?}");
    assert_eq!(lichess.with(|round| round.requests), 1);
}

/// Words about single games: refused ones, a round with a source, games that are too large.
#[test]
fn single_games_a_source_and_large_rounds() {
    let mut rng = Rng::with_seed(9);
    let mut boards = vec![Board::new(1), Board::new(2)];
    boards.iter_mut().for_each(|board| board.play(&mut rng, 40));
    let lichess = FakeLichess::start();
    let token = token(TOKEN);
    let mut sink = make(&output(&lichess, &token), &mut Lines::default(), &Arc::default());

    let mut broken = body(&boards);
    let pgn = broken.games[1].pgn.replace("\n1. ", "\n1. Ke8 ");
    broken.games[1] = Arc::new(GameBody { pgn, ..(*broken.games[1]).clone() });
    let answer = sink.send(&broken);
    assert_eq!((answer.verdict, answer.boards.len()), (Verdict::Accepted, 1), "{answer:?}");
    assert!(answer.boards[0].board == "2" && answer.boards[0].message.contains("Ke8 cannot be played"), "{answer:?}");

    // The times of the finished game are left out as soon as lichess says that the round is too large.
    boards[0].result = Some(GameResult::WhiteWins);
    let whole = body(&boards);
    assert_eq!(sink.send(&whole).verdict, Verdict::Accepted);
    lichess.with(|round| round.largest = Some(whole.pgn().len() - 1));
    assert_eq!(sink.send(&whole).verdict, Verdict::Retry(Some(Duration::ZERO)));
    let answer = sink.send(&whole);
    assert!(answer.verdict == Verdict::Accepted && answer.message.contains("left out"), "{answer:?}");
    let last = lichess.with(|round| round.pushes.last().cloned()).expect("a push");
    assert!(last.matches("%clk").count() == 40, "the game that is on keeps its times");

    lichess.with(|round| round.has_source = true);
    let answer = sink.send(&body(&[Board::new(1)]));
    assert!(answer.verdict == Verdict::Refused && answer.message.contains("remove it in the round's form"), "{answer:?}");

    // A reset empties the round.
    lichess.with(|round| round.has_source = false);
    assert_eq!(sink.reset(&whole).verdict, Verdict::Accepted);
    assert!(lichess.with(|round| round.chapters.is_empty()));
}

/// Lichess is asked about a token before anything is published, and the token is in no text.
#[test]
fn a_token_is_tested() {
    let lichess = FakeLichess::start();
    for (text, scopes, trouble, expected) in [
        (TOKEN, "study:write", None, Ok("hall")),
        (TOKEN, "challenge:read,study:write", None, Ok("hall")),
        (TOKEN, "study:read,studies:write", None, Err("may not write broadcasts. Make a token with the right study:write")),
        (TOKEN, "", None, Err("may not write broadcasts")),
        ("lip_wrongwrongwrong", "study:write", None, Err("does not know the token")),
        ("", "study:write", None, Err("the token, is empty")),
        (TOKEN, "study:write", Some(Trouble::Status(401)), Err("does not know the token")),
        (TOKEN, "study:write", Some(Trouble::Status(500)), Err("answered 500")),
        (TOKEN, "study:write", Some(Trouble::CutBody), Err("cannot be reached")),
    ] {
        lichess.with(|round| (round.scopes, round.troubles) = (scopes.to_owned(), trouble.into_iter().collect()));
        let file = token(text);
        let answer = flagfall::collect::sinks::lichess::test_token(&lichess.url(), file.path());
        match (&answer, expected) {
            (Ok(account), Ok(expected)) => assert_eq!(account, expected),
            (Err(why), Err(words)) => assert!(why.contains(words) && !why.contains("lip_"), "{why}"),
            _ => panic!("{text} {scopes} {trouble:?}: {answer:?}"),
        }
    }
}

/// The output that sends to this lichess, for a configuration.
fn lines(lichess: &FakeLichess, token: &tempfile::NamedTempFile) -> String {
    format!(
        "[[output]]\nname = \"lichess\"\nkind = \"lichess\"\nurl = {:?}\ntoken_file = {:?}\nround = \"{ROUND}\"\nevery = 1\n",
        lichess.url(),
        token.path()
    )
}

/// Lichess refuses one board: soon the status says which output and which board, why, and what to do. The other board goes on.
#[test]
fn a_board_that_lichess_refuses_is_named_and_the_others_go_on() {
    const SOON: Duration = Duration::from_secs(5);
    let broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "pi-9", "");
    let (lichess, token) = (FakeLichess::start(), token(TOKEN));
    lichess.with(|round| round.refused = Some((2, "Invalid PGN, by the words of lichess")));
    hall.add_lines(&lines(&lichess, &token));
    hall.publish_event();
    let mut boards = [Published::new("b1", 1), Published::new("b2", 2)];
    boards.iter().for_each(|board| board.publish(broker.port()));
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/node/#"]);
    let _collector = hall.start();
    let status = |what: &str, is: fn(&serde_json::Value) -> bool| {
        subscriber.wait(what, |received| {
            (received.topic == "flagfall/1/node/pi-9-collect/output/lichess" && is(received.body())).then_some(received)
        })
    };
    status("both boards are pushed", |body| body["state"] == "ok");
    let plies = |number: usize| {
        lichess.with(|round| {
            round.chapters.iter().find(|chapter| chapter.tag("Board") == number.to_string()).map(|chapter| chapter.moves.len())
        })
    };
    let began = monotonic();
    for board in &mut boards {
        board.play(3);
        board.publish(broker.port());
    }
    let named = status("the board is named", |body| body["boards"][0]["board"] == "b2" && body["plies"] == 6);
    assert_within(monotonic().since(began), SOON, "the status");
    let message = named.body()["boards"][0]["message"].as_str().expect("a message");
    assert!(
        message.contains("Invalid PGN, by the words of lichess") && message.contains("the next push has the game again"),
        "{message}"
    );
    assert_eq!((&named.body()["state"], named.body()["boards"].as_array().map(Vec::len)), (&"ok".into(), Some(1)), "{named:?}");
    assert_eq!((plies(1), plies(2)), (Some(3), None));

    // The next push has the game again.
    lichess.with(|round| round.refused = None);
    boards[0].play(1);
    boards[0].publish(broker.port());
    status("nothing is wrong", |body| body.get("boards").is_none() && body["plies"] == 7);
    assert_eq!((plies(1), plies(2)), (Some(4), Some(3)));
}

/// The collector pushes what the nodes published; a wrong token is in the status and in no output of the program.
#[test]
fn the_collector_pushes_a_round() {
    let broker = Mosquitto::start();
    let hall = CollectHall::new(broker.port(), "pi-9", "");
    let lichess = FakeLichess::start();
    let token = token("lip_wrongwrongwrong");
    hall.add_lines(&lines(&lichess, &token));
    hall.publish_event();
    let mut boards = [Published::new("b1", 1), Published::new("b2", 2)];
    for board in &mut boards {
        board.play(5);
        board.publish(broker.port());
    }
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/node/#"]);
    let collector = hall.start();
    let status = subscriber.wait("lichess refuses", |received| {
        (received.topic.ends_with("/output/lichess") && received.body()["state"] == "refused").then_some(received)
    });
    assert_eq!(status.body()["http"], 401, "{status:?}");
    std::fs::write(token.path(), TOKEN).expect("written");
    hall.publish_round(2, serde_json::json!({"lichess": {"retry": 1}}));
    wait_until("lichess has the round", PATIENCE, || {
        lichess.with(|round| round.chapters.len() == 2 && round.chapters.iter().all(|chapter| chapter.moves.len() == 5))
    });
    subscriber.wait("lichess is ok", |received| {
        (received.topic.ends_with("/output/lichess") && received.body()["state"] == "ok").then_some(())
    });
    let said = collector.stop("-TERM");
    assert!(!said.contains("lip_") && said.contains("The token is not valid"), "{said}");
    assert!(!format!("{:?}", subscriber.until("its end", |received| received.body()["state"] == "stopped")).contains("lip_"));
}
