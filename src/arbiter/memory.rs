//! Remembers the last commands of a board with their answers. A command that comes again with the same id gets the same answer
//! and is not carried out again.

use std::collections::VecDeque;

use flagfall_protocols::bytes::crc32;

use super::types::Submission;
use crate::wire::finding::FindingKey;
use crate::wire::reply::Reply;

/// The largest number of commands that are remembered for one board.
const MAX_REMEMBERED: usize = 256;

/// The last commands of one board with their answers. After a restart the station rebuilds it from the journal.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    answered: VecDeque<(u32, Reply)>,
}

/// A checksum that is equal for two commands of the same id if they are the same: what they want, for which game and finding,
/// when it was seen, and why.
pub(super) fn fingerprint(submission: &Submission) -> u32 {
    if let Some(checksum) = submission.checksum {
        return checksum;
    }
    let Submission { verb, body, expect, observed_at, reason, .. } = submission;
    let finding = expect.finding.map(|FindingKey { id, revision }| (id, revision));
    crc32(format!("{verb}\n{body}\n{:?}\n{finding:?}\n{observed_at:?}\n{reason:?}", expect.game).as_bytes())
}

impl Memory {
    /// Whether a command with this actor and id came before: the same one (`true`) or another (`false`); none if there was none.
    pub fn find(&self, submission: &Submission) -> Option<bool> {
        self.entry(submission).map(|(known, _)| *known == fingerprint(submission))
    }

    fn entry(&self, submission: &Submission) -> Option<&(u32, Reply)> {
        self.answered.iter().find(|(_, reply)| reply.id == submission.id && reply.actor == submission.actor)
    }

    /// The last answer to the same command, addressed to its sender of this time.
    pub fn answer(&self, submission: &Submission) -> Option<Reply> {
        let (_, reply) = self.entry(submission)?;
        Some(Reply { to: submission.reply.clone(), corr: submission.reply.corr.clone(), ..reply.clone() })
    }

    /// Remembers the last answer. A command without an id cannot come again; users without a role must not push others out; and
    /// an id keeps its first command.
    pub fn remember(&mut self, submission: &Submission, reply: &Reply) {
        if submission.id.is_empty() || submission.role.is_none() || self.entry(submission).is_some() {
            return;
        }
        if self.answered.len() == MAX_REMEMBERED {
            self.answered.pop_front();
        }
        self.answered.push_back((fingerprint(submission), reply.clone()));
    }
}
