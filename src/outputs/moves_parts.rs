//! Joins the states of boards with the parts that have their earlier moves (`wire/README.md#2.2`). Everything comes from the network, so
//! nothing in it is trusted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::picture::{Picture, PictureError, PictureMove};
use crate::wire::moves_part::{MAX_MOVES, MAX_PARTS, MovesPart, PartsBefore, join};
use crate::wire::state::{Lists, Segment};

/// The largest part that is read, in bytes.
const MAX_PART: usize = 16 << 10;

/// The parts of one board for one audience, and its last state as long as parts of it are missing.
#[derive(Debug, Default)]
pub struct MovesParts {
    parts: BTreeMap<u32, MovesPart<PictureMove>>,
    incomplete: Option<Picture>,
}

#[derive(Deserialize)]
struct Message<Body> {
    body: Body,
}

impl MovesParts {
    /// Takes a state. Returns it with all its moves; none while parts of it are missing.
    ///
    /// # Errors
    /// See [`PictureError`].
    pub fn take_state(&mut self, picture: Picture) -> Result<Option<Picture>, PictureError> {
        self.incomplete = Some(picture);
        self.complete()
    }

    /// Takes a part; an empty one is deleted. Returns the last state, if the part was the last that it needed.
    ///
    /// # Errors
    /// See [`PictureError`].
    pub fn take_part(&mut self, number: u32, payload: &[u8]) -> Result<Option<Picture>, PictureError> {
        if payload.is_empty() {
            self.parts.remove(&number);
            return Ok(None);
        }
        if payload.len() > MAX_PART {
            return Err(PictureError::TooLarge(payload.len()));
        }
        let message: Message<MovesPart<PictureMove>> =
            serde_json::from_slice(payload).map_err(|error| PictureError::Json(error.to_string()))?;
        if number >= MAX_PARTS || message.body.moves.len() > MAX_MOVES {
            return Err(PictureError::TooLong);
        }
        self.parts.insert(number, message.body);
        self.complete()
    }

    /// Whether parts of the last state are missing.
    pub fn is_incomplete(&self) -> bool {
        self.incomplete.is_some()
    }

    fn complete(&mut self) -> Result<Option<Picture>, PictureError> {
        let Some(mut picture) = self.incomplete.take() else { return Ok(None) };
        if !join(picture.body.lists(), |number| self.parts.get(&number)) {
            self.incomplete = Some(picture);
            return Ok(None);
        }
        picture.check_length()?;
        Ok(Some(picture))
    }
}

/// The fields of a state in JSON that have its moves.
#[derive(Serialize, Deserialize)]
struct JsonLists {
    initial_fen: String,
    moves: Vec<Value>,
    moves_from: Option<u32>,
    parts: Option<PartsBefore>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    segments: Vec<Segment<Value>>,
}

/// Returns the payload of a state for any audience with all moves, or as it is, if parts of it are missing. `part` finds the payload of a
/// part by its number.
pub fn whole_state<'a>(state: &[u8], part: impl Fn(u32) -> Option<&'a [u8]>) -> Vec<u8> {
    let whole = || {
        let mut state: Value = serde_json::from_slice(state).ok()?;
        let mut own: JsonLists = serde_json::from_value(state["body"].clone()).ok()?;
        let read = |number| serde_json::from_slice(part(number)?).ok().map(|Message { body }| (number, body));
        let total = own.parts?.total.min(MAX_PARTS);
        let parts: BTreeMap<u32, MovesPart<Value>> = (0..total).filter_map(read).collect();
        let JsonLists { initial_fen, moves, moves_from, parts: before, segments } = &mut own;
        if !join(Lists { initial_fen, moves, moves_from, parts: before, segments }, |number| parts.get(&number)) {
            return None;
        }
        let body = state["body"].as_object_mut()?;
        let Ok(Value::Object(joined)) = serde_json::to_value(&own) else { return None };
        body.extend(joined.into_iter().filter(|(_, value)| !value.is_null()));
        body.remove("moves_from");
        body.remove("parts");
        serde_json::to_vec(&state).ok()
    };
    whole().unwrap_or_else(|| state.to_vec())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::outputs::picture::MAX_PLIES;

    fn moves(sans: &[&str]) -> Value {
        sans.iter().map(|san| json!({"san": san, "white_ms": 1, "black_ms": null})).collect()
    }

    fn part(initial_fen: Option<&str>, sans: &[&str], after: u32, sum: u32) -> Vec<u8> {
        let mut body = json!({"moves": moves(sans), "after": after, "sum": sum});
        initial_fen.into_iter().for_each(|fen| body["initial_fen"] = fen.into());
        json!({ "body": body }).to_string().into_bytes()
    }

    fn state(sans: &[&str], moves_from: Option<u32>, parts: Option<(u32, u32)>) -> Vec<u8> {
        let mut body = json!({"game_no": 1, "initial_fen": "later", "moves": moves(sans), "result": null});
        moves_from.into_iter().for_each(|from| body["moves_from"] = from.into());
        parts.into_iter().for_each(|(total, sum)| body["parts"] = json!({"total": total, "sum": sum}));
        json!({"game": "e-1-1-g1", "rev": 1, "body": body}).to_string().into_bytes()
    }

    /// The segments of a game: the start and the moves of each.
    fn shown(picture: &Picture) -> Vec<(String, Vec<String>)> {
        let sans = |moves: &[PictureMove]| moves.iter().map(|played| played.san.clone()).collect();
        let earlier = picture.body.segments.iter().map(|part| (part.initial_fen.clone(), sans(&part.moves)));
        earlier.chain([(picture.body.initial_fen.clone(), sans(&picture.body.moves))]).collect()
    }

    #[test]
    fn parts_and_state_may_come_in_any_order() {
        let messages =
            [part(Some("first"), &["e4", "e5"], 0, 5), part(None, &["Nf3"], 5, 6), part(Some("second"), &["d4"], 6, 7)];
        for (state, whole) in [
            (state(&["d5"], Some(2), Some((3, 7))), vec![("first", "e4 e5 Nf3"), ("second", "d4 d5")]),
            (state(&["Nc6"], Some(4), Some((2, 6))), vec![("first", "e4 e5 Nf3 Nc6")]),
            (state(&["c4"], None, Some((3, 7))), vec![("first", "e4 e5 Nf3"), ("second", "d4"), ("later", "c4")]),
            (state(&["c4"], None, None), vec![("later", "c4")]),
        ] {
            let whole: Vec<(String, Vec<String>)> =
                whole.into_iter().map(|(fen, sans)| (fen.to_owned(), sans.split(' ').map(str::to_owned).collect())).collect();
            let picture = || Picture::read(&state).expect("a state");
            for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
                let mut parts = MovesParts::default();
                let first = parts.take_state(picture()).expect("a state");
                assert_eq!(parts.is_incomplete(), first.is_none());
                let later = order.map(|number| parts.take_part(number as u32, &messages[number]).expect("a part"));
                let last = later.into_iter().chain([first]).flatten().next().expect("complete");
                assert_eq!(shown(&last), whole, "{order:?}");
                assert_eq!(shown(&parts.take_state(picture()).expect("a state").expect("complete")), whole);
            }
            let json = whole_state(&state, |number| Some(&messages[number as usize]));
            assert_eq!(shown(&Picture::read(&json).expect("a state")), whole);
        }
    }

    #[test]
    fn a_part_that_is_missing_or_another_one_changes_nothing() {
        let raw = state(&["d5"], Some(3), Some((1, 7)));
        for wrong in [
            Vec::new(),
            part(Some("first"), &["e4", "e5"], 0, 8),
            part(Some("first"), &["e4", "e5"], 3, 7),
            part(Some("first"), &["e4"], 0, 7),
            part(None, &["e4", "e5"], 0, 7),
        ] {
            let mut parts = MovesParts::default();
            let picture = Picture::read(&raw).expect("a state");
            assert_eq!(parts.take_part(0, &wrong), Ok(None));
            assert_eq!(parts.take_state(picture), Ok(None));
            assert_eq!(whole_state(&raw, |_| Some(&wrong)), raw);
            let right = parts.take_part(0, &part(Some("first"), &["e4", "e5"], 0, 7)).expect("a part").expect("complete");
            assert_eq!(shown(&right).len(), 1);
        }
    }

    #[test]
    fn hostile_parts_are_errors() {
        let mut parts = MovesParts::default();
        assert_eq!(parts.take_part(0, &vec![b' '; MAX_PART + 1]), Err(PictureError::TooLarge(MAX_PART + 1)));
        assert_eq!(parts.take_part(MAX_PARTS, &part(None, &[], 0, 1)), Err(PictureError::TooLong));
        // A long game is an error when it is whole.
        let count = MAX_PLIES as u32 / 16 + 1;
        let raw = state(&["d5"], Some(16 * count + 1), Some((count, count)));
        assert_eq!(parts.take_state(Picture::read(&raw).expect("a state")), Ok(None));
        for number in 0..count {
            let taken = parts.take_part(number, &part((number == 0).then_some("first"), &["e4"; 16], number, number + 1));
            assert_eq!(taken.is_err(), number + 1 == count);
        }
        for bad in ["[]", "{", r#"{"body":{"moves":[],"after":-1,"sum":1}}"#, r#"{"body":{"moves":7,"after":0,"sum":1}}"#] {
            assert!(matches!(parts.take_part(0, bad.as_bytes()), Err(PictureError::Json(_))), "{bad}");
        }
        // More parts than there are, or as many as a number can name, find no end but the first that is missing.
        let endless = Picture::read(&state(&["d5"], Some(3), Some((u32::MAX, 7)))).expect("a state");
        assert_eq!(parts.take_state(endless), Ok(None));
        let long = part(Some("first"), &["e4"; MAX_MOVES + 1], 0, 7);
        assert_eq!(parts.take_part(0, &long), Err(PictureError::TooLong));
    }
}
