//! The results of a run for each group of questions.

use std::collections::BTreeMap;

/// The answers of one group.
#[derive(Default)]
struct Group {
    right: u32,
    undecided: u32,
    nodes: Vec<u64>,
}

/// The answers by group.
#[derive(Default)]
pub(crate) struct Tally {
    groups: BTreeMap<String, Group>,
}

impl Tally {
    pub(crate) fn add(&mut self, group: &str, decided: bool, nodes: u64) {
        let group = self.groups.entry(group.to_owned()).or_default();
        if decided {
            group.right += 1;
        } else {
            group.undecided += 1;
        }
        group.nodes.push(nodes);
    }

    pub(crate) fn undecided(&self, group: &str) -> u32 {
        self.groups.get(group).map_or(0, |group| group.undecided)
    }

    #[allow(clippy::print_stderr, reason = "the figures of a run")]
    pub(crate) fn print(&mut self) {
        for (name, group) in &mut self.groups {
            group.nodes.sort_unstable();
            let count = group.nodes.len();
            let mean = group.nodes.iter().sum::<u64>() / count as u64;
            let at = |part: usize| group.nodes[(count * part / 100).min(count - 1)];
            eprintln!(
                "{name}: {} right, {} undecided; nodes mean {mean}, median {}, p99 {}, most {}",
                group.right,
                group.undecided,
                at(50),
                at(99),
                at(100)
            );
        }
    }
}

/// Prints the figures of a run, or an unusual answer that is no failure.
#[allow(clippy::print_stderr, reason = "the figures of a run")]
pub(crate) fn print_line(text: &str) {
    eprintln!("{text}");
}
