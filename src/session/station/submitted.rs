//! Handles the commands of arbiters at a station: admits them when they arrive, and carries them out.

use flagfall_game::audit::AuditEntry;
use flagfall_game::clock::control::TimeControl;
use flagfall_game::decision::Decision;
use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::{Author, Input as GameInput};
use flagfall_protocols::time::Instant;

use super::{Station, StationOutput};
use crate::arbiter::verbs::{self, Lock};
use crate::arbiter::{
    Action, Code, DaemonAction, Expect, Facts, Fault, Recorded, Reply, Setup, Stage, Submission, UnusedTime, Verdict, admit,
    current_finding,
};
use crate::wire::audit::{AuditBody, CommandBody};
use crate::wire::command::Command;
use crate::wire::finding::FindingKey;

impl Station {
    /// Decides about a command that arrived now. The result must be recorded and fed. This changes nothing.
    pub fn admit(&self, mut submission: Submission, setup: &Setup) -> Recorded {
        if submission.observed_us.is_some_and(|seen| Instant(seen) < self.game.began()) {
            submission.observed_us = None;
            submission.observed_unused = Some(UnusedTime::BeforeTheGame);
        }
        let stage = self.game.stage();
        let facts = Facts {
            game: self.game_name(),
            earlier: self.earlier_game().map(|number| (self.messages.board().game_id(number), number)),
            game_no: self.game.number(),
            rev: self.game.rev(),
            playing: stage == GamePhase::Playing,
            flag_fell: self.game.has_fallen_flag(),
            awaits_ruling: self.game.awaits_ruling(),
            findings: self.findings(),
            decided_since: self.decided_since(&submission.expect).map(Decision::words),
            setup,
            memory: &self.commands,
        };
        let verdict = admit(&submission, &facts);
        if !matches!(verdict, Verdict::Admitted(_)) {
            submission.shorten_body();
        }
        let binds = matches!(verdict, Verdict::Admitted(Action::Daemon(DaemonAction::BindDevice { .. })));
        Recorded { submission, verdict, configuration: binds.then(|| setup.configuration.clone()) }
    }

    /// The device that a command bound last in this journal, and the configuration under which that was done.
    pub fn bound(&self) -> Option<(&DaemonAction, Option<&str>)> {
        self.bound.as_ref().map(|(action, configuration)| (action, configuration.as_deref()))
    }

    /// The answer to a command that has no other effect.
    pub fn answer_to(&self, submission: &Submission, stage: Stage, fault: &Fault) -> Reply {
        self.answer(submission, stage, fault.code, &fault.message)
    }

    fn game_name(&self) -> String {
        self.messages.board().game_id(self.game.number())
    }

    fn findings(&self) -> Vec<FindingKey> {
        let decides = self.game.deciding_finding().map(FindingKey::from_finding);
        let others = self.game.findings().iter().map(FindingKey::from_finding).filter(|other| Some(*other) != decides);
        let earlier = self.game.earlier_revisions().map(FindingKey::from);
        decides.into_iter().chain(others).chain(earlier).collect()
    }

    /// The last decision that a sender with this lock cannot know of: on the finding if the lock names one, else on the game.
    fn decided_since(&self, lock: &Expect) -> Option<&Decision> {
        match (lock.finding, lock.rev) {
            (Some(key), _) => {
                let unseen = |decision: &&Decision| decision.finding.is_some_and(|decided| key.revision <= decided.revision);
                self.game.decision_about(key.id).filter(unseen)
            }
            (None, Some(rev)) => self.game.decision_after(rev),
            (None, None) => None,
        }
    }

    fn answer(&self, submission: &Submission, stage: Stage, code: Code, message: &str) -> Reply {
        let reply = submission.answer(stage, code, message, Some((self.game_name(), self.game.rev())));
        let decides = verbs::find(&submission.verb).is_some_and(|verb| verb.lock == Lock::Finding);
        let key = submission.expect.finding.filter(|_| decides && reply.rev.is_some());
        Reply { finding: key.and_then(|key| current_finding(key, &self.findings())), ..reply }
    }

    pub(super) fn handle_submitted(&mut self, at: Instant, recorded: &Recorded, out: &mut Vec<StationOutput>) {
        let submission = &recorded.submission;
        let last = match &recorded.verdict {
            Verdict::Again => {
                // This happens only if the journal with the first one is damaged.
                let reply = self.commands.answer(submission);
                reply.unwrap_or_else(|| self.answer(submission, Stage::Failed, Code::Invalid, "what was answered is lost"))
            }
            Verdict::Refused(fault) => self.refuse(at, submission, fault, out),
            Verdict::Admitted(action) => {
                out.push(StationOutput::Reply(self.answer(submission, Stage::Accepted, Code::Ok, "")));
                match action {
                    Action::Game(command) => self.run_game_command(at, submission, command, out),
                    Action::Daemon(action) => self.run_daemon_action(at, recorded, action, out),
                }
            }
        };
        self.commands.remember(submission, &last);
        out.push(StationOutput::Reply(last));
    }

    fn refuse(&mut self, at: Instant, submission: &Submission, fault: &Fault, out: &mut Vec<StationOutput>) -> Reply {
        self.publish_audit(at, submission.audit(false, fault.code, &fault.message), out);
        self.answer(submission, Stage::Failed, fault.code, &fault.message)
    }

    fn run_daemon_action(
        &mut self,
        at: Instant,
        recorded: &Recorded,
        action: &DaemonAction,
        out: &mut Vec<StationOutput>,
    ) -> Reply {
        let submission = &recorded.submission;
        let message = match action {
            DaemonAction::BindDevice { .. } => {
                // Under another configuration another device may have been bound in between.
                let same = |(before, under)| before == action && under == recorded.configuration.as_deref();
                if !self.bound().is_some_and(same) {
                    self.step_game(at, &GameInput::Bound, out);
                }
                self.bound = Some((action.clone(), recorded.configuration.clone()));
                "the device is looked for: see its status"
            }
            DaemonAction::SetRoundGame { of_the_round } => {
                if let Err(problem) = self.set_round_game(at, *of_the_round, out) {
                    self.publish_audit(at, submission.audit(true, Code::Invalid, problem), out);
                    return self.answer(submission, Stage::Failed, Code::Invalid, problem);
                }
                ""
            }
            DaemonAction::Resync { .. } => "",
        };
        let on_time = self.note_on_time(submission);
        self.publish_audit(at, submission.audit(true, Code::Ok, on_time), out);
        out.push(StationOutput::Daemon(action.clone()));
        self.answer(submission, Stage::Done, Code::Ok, &joined(message, on_time))
    }

    /// The game carries out the command or says why not. Its own audit line is completed with what is known of the command.
    fn run_game_command(
        &mut self,
        at: Instant,
        submission: &Submission,
        command: &Command,
        out: &mut Vec<StationOutput>,
    ) -> Reply {
        let mut effects = std::mem::take(&mut self.effects);
        let author = Author {
            name: Some(submission.actor.clone()),
            command: Some(submission.id.clone()),
            reason: submission.reason.clone(),
            observed_at: submission.observed_us.map(Instant),
        };
        let input = GameInput::Signed { command: Box::new(command.clone().into()), author: Box::new(author) };
        self.game.step(at, &input, &mut effects);
        // Who meant minutes sees it here.
        let set = match command {
            Command::SetClockRecord { time_control, .. } => {
                time_control.as_deref().and_then(|text| TimeControl::parse(text).ok())
            }
            _ => None,
        };
        let (mut failed, mut note) = (None, set.map_or_else(String::new, |set| format!("time control {set}: {}", set.words())));
        for effect in &effects {
            match effect {
                Effect::Audit(AuditEntry::Command { .. }) => failed = None,
                Effect::Audit(AuditEntry::Refused { problem }) => failed = Some(problem.clone()),
                Effect::Audit(AuditEntry::Claim(claim)) => note.clone_from(&claim.note),
                _ => {}
            }
        }
        let on_time = self.note_on_time(submission);
        self.handle_effects(at, effects, Some((submission, on_time)), out);
        self.review_earlier_game(at, out);
        match failed {
            Some(problem) => self.answer(submission, Stage::Failed, Code::Invalid, &problem),
            None => self.answer(submission, Stage::Done, Code::Ok, &joined(&note, on_time)),
        }
    }

    /// What a command that was carried out has made of its `observed_at`, if it has not simply used it; empty if it has.
    fn note_on_time(&self, submission: &Submission) -> &'static str {
        let Some(seen) = submission.observed_us else { return submission.observed_unused.map_or("", UnusedTime::words) };
        if !verbs::uses_observed_at(&submission.verb) {
            return "observed_at is in the audit only, because it changes nothing for this command";
        }
        let calls_flag = submission.verb == "claim" && submission.body.get("flag").is_some();
        if !calls_flag && submission.verb != "confirm" {
            return "";
        }
        let mut falls = self.game.flags().map(|(fall, _)| fall);
        match falls.find(|fall| fall.observed_by.as_ref() == Some(&submission.id)) {
            Some(fall) if fall.observed_at != Some(Instant(seen)) => {
                "the flag had not fallen at observed_at: it counts as observed as soon as it may have fallen"
            }
            None if calls_flag => "observed_at is not used, because the flag was observed before",
            _ => "",
        }
    }

    fn publish_audit(&mut self, at: Instant, body: CommandBody, out: &mut Vec<StationOutput>) {
        self.messages.add_audit_entry(at, &self.game, &AuditBody::Command(Box::new(body)), &mut self.made);
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }
}

/// Two notes in one text; either may be empty.
fn joined(one: &str, other: &str) -> String {
    let between = if one.is_empty() || other.is_empty() { "" } else { "; " };
    format!("{one}{between}{other}")
}

/// The line in the audit of what became of a command, with all that is known of it: the game knows its verb only. `note` is about
/// the time at which the arbiter saw what the command is about.
pub(super) fn in_full(submission: &Submission, note: &str, effect: &Effect) -> Option<CommandBody> {
    match effect {
        Effect::Audit(AuditEntry::Command { .. }) => Some(submission.audit(true, Code::Ok, note)),
        Effect::Audit(AuditEntry::Refused { problem }) => Some(submission.audit(true, Code::Invalid, problem)),
        _ => None,
    }
}
