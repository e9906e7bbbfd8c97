//! Arbiters' commands at a station: admission when they arrive, and what becomes of them.

use flagfall_game::effect::{Audience, Effect};
use flagfall_game::input::{Command, Input as GameInput};
use flagfall_game::message::{AuditBody, Stage as GameStage};
use flagfall_protocols::time::Instant;

use super::{Station, StationOutput};
use crate::arbiter::{Action, Code, Errand, Facts, Fault, Recorded, Reply, Stage, Submission, Verdict, admit};

impl Station {
    /// Decides about a command that arrived now; to be recorded and fed. Changes nothing.
    pub fn admit(&self, submission: Submission) -> Recorded {
        let stage = self.game.stage();
        let facts = Facts {
            game: self.game_name(),
            rev: self.game.rev(Audience::Arbiter),
            busy: matches!(stage, GameStage::Armed | GameStage::Playing),
            playing: stage == GameStage::Playing,
            flag_fell: self.game.has_fallen_flag(),
            awaits_ruling: self.game.awaits_ruling(),
            memory: &self.commands,
        };
        let verdict = admit(&submission, &facts);
        Recorded { submission, verdict }
    }

    /// The device that a command bound last, in this session of the journal.
    pub fn bound(&self) -> Option<&Errand> {
        self.bound.as_ref()
    }

    /// The answer to a command that nothing else becomes of.
    pub fn answer_to(&self, submission: &Submission, stage: Stage, fault: &Fault) -> Reply {
        self.answer(submission, stage, fault.code, &fault.message)
    }

    fn game_name(&self) -> String {
        self.messages.board().game(self.game.number())
    }

    fn answer(&self, submission: &Submission, stage: Stage, code: Code, message: &str) -> Reply {
        submission.answer(stage, code, message, self.game_name(), self.game.rev(Audience::Arbiter))
    }

    pub(super) fn submitted(&mut self, at: Instant, recorded: &Recorded, out: &mut Vec<StationOutput>) {
        let submission = &recorded.submission;
        let last = match &recorded.verdict {
            Verdict::Again => {
                // Only a journal with damage has forgotten the first one.
                let reply = self.commands.answer(submission);
                reply.unwrap_or_else(|| self.answer(submission, Stage::Failed, Code::Invalid, "what was answered is lost"))
            }
            Verdict::Refused(fault) => self.refuse(at, submission, fault, out),
            Verdict::Admitted(action) => {
                out.push(StationOutput::Reply(self.answer(submission, Stage::Accepted, Code::Ok, "")));
                match action {
                    Action::Game(command) => self.carry_out(at, submission, command, out),
                    Action::Errand(errand) => self.send_on(at, submission, errand, out),
                }
            }
        };
        self.commands.remember(submission, &last);
        out.push(StationOutput::Reply(last));
    }

    fn refuse(&mut self, at: Instant, submission: &Submission, fault: &Fault, out: &mut Vec<StationOutput>) -> Reply {
        self.audit(at, submission, fault.code, &fault.message, out);
        self.answer(submission, Stage::Failed, fault.code, &fault.message)
    }

    fn send_on(&mut self, at: Instant, submission: &Submission, errand: &Errand, out: &mut Vec<StationOutput>) -> Reply {
        if matches!(errand, Errand::BindDevice { .. }) {
            self.bound = Some(errand.clone());
        }
        self.audit(at, submission, Code::Ok, "", out);
        out.push(StationOutput::Do(errand.clone()));
        self.answer(submission, Stage::Done, Code::Ok, "")
    }

    /// The game does it or says why not, and its own line in the audit gets the rest of what is known.
    fn carry_out(&mut self, at: Instant, submission: &Submission, command: &Command, out: &mut Vec<StationOutput>) -> Reply {
        let mut effects = std::mem::take(&mut self.effects);
        self.game.step(at, &GameInput::Command(command.clone()), &mut effects);
        let mut failed = None;
        for effect in &mut effects {
            let Effect::Audit(body) = effect else { continue };
            let (code, problem) = match body {
                AuditBody::Command(_) => (Code::Ok, String::new()),
                AuditBody::Refused { problem } => (Code::Invalid, std::mem::take(problem)),
                _ => continue,
            };
            *body = AuditBody::Command(Box::new(submission.audit(code, &problem)));
            failed = (code != Code::Ok).then_some(problem);
        }
        self.pass_on(at, effects, out);
        match failed {
            Some(problem) => self.answer(submission, Stage::Failed, Code::Invalid, &problem),
            None => self.answer(submission, Stage::Done, Code::Ok, ""),
        }
    }

    fn audit(&mut self, at: Instant, submission: &Submission, code: Code, message: &str, out: &mut Vec<StationOutput>) {
        let body = AuditBody::Command(Box::new(submission.audit(code, message)));
        self.messages.of(at, &Effect::Audit(body), &self.game, &mut self.made);
        out.extend(self.made.drain(..).map(StationOutput::Message));
    }
}
