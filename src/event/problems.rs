//! What is wrong with the organiser's messages, for people: `problems` of `node.info` has it.

use std::collections::BTreeMap;
use std::fmt::Display;

/// The largest number of messages that are named.
const MOST: usize = 8;
/// The longest reason, in characters.
const LONGEST: usize = 300;

/// The messages that cannot be used, by their topics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems(BTreeMap<String, String>);

impl Problems {
    /// Notes what became of the newest message on a topic. A good one ends the problem of its topic.
    pub fn note(&mut self, topic: &str, taken: &Result<(), impl Display>) {
        match taken {
            Ok(()) => drop(self.0.remove(topic)),
            Err(why) if self.0.len() < MOST || self.0.contains_key(topic) => {
                let why: String = why.to_string().chars().take(LONGEST).collect();
                self.0.insert(topic.to_owned(), why);
            }
            Err(_) => {}
        }
    }

    /// A sentence about each.
    pub fn sentences(&self) -> Vec<String> {
        self.0.iter().map(|(topic, why)| format!("The organiser's message on {topic} is not used: {why}")).collect()
    }
}

/// The problems in the info of a node. A message that cannot be read has none.
pub fn problems_of(info: &[u8]) -> Vec<String> {
    let message: serde_json::Value = serde_json::from_slice(info).unwrap_or_default();
    let problems = message["body"]["problems"].as_array().into_iter().flatten();
    problems.filter_map(|problem| Some(problem.as_str()?.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_good_message_ends_the_problem_of_its_topic() {
        let mut problems = Problems::default();
        problems.note("meta/e", &Err("`rev` is 1"));
        problems.note("meta/e/1", &Err("x".repeat(1000)));
        assert_eq!(problems.sentences()[0], "The organiser's message on meta/e is not used: `rev` is 1");
        assert!(problems.sentences()[1].len() < 400);
        problems.note("meta/e/1", &Ok::<(), String>(()));
        assert_eq!(problems.sentences().len(), 1);
        for round in 0..100 {
            problems.note(&format!("meta/e/{round}"), &Err("bad"));
        }
        assert_eq!(problems.sentences().len(), MOST);
    }
}
