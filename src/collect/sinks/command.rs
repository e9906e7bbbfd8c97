//! Starts a program that sends the files of a round, such as rclone (`outputs/README.md#4`). There is no shell.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::files::Files;
use super::{Answer, Sink, Verdict};
use crate::collect::body::RoundBody;
use crate::config::{Output, PLACEHOLDERS, of_commands};

/// So many of the last bytes that the program prints as errors are shown.
const TAIL: usize = 2048;

/// Writes the files of a round and starts the program.
pub(crate) struct Command {
    files: Files,
    arguments: Vec<String>,
    timeout: Duration,
}

impl Command {
    pub(crate) fn new(files: Files, output: &Output) -> Command {
        let timeout = Duration::from_secs(output.timeout.unwrap_or(Output::TIMEOUT).into());
        Command { files, arguments: output.command.clone(), timeout }
    }

    /// The arguments for a round.
    fn arguments(&self, body: &RoundBody) -> Vec<String> {
        let dir = self.files.folder(body).display().to_string();
        let values = [format!("{dir}/games.pgn"), dir, body.event.clone(), body.round.clone()];
        let fill = |argument: &String| fill(argument, &values);
        self.arguments.iter().map(fill).collect()
    }
}

/// Puts the values into an argument, each once from left to right, so that a value cannot bring in another one.
fn fill(argument: &str, values: &[String; PLACEHOLDERS.len()]) -> String {
    let (mut filled, mut rest) = (String::new(), argument);
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let found = PLACEHOLDERS.iter().zip(values).find_map(|(name, value)| {
            let rest = after.strip_prefix(name)?.strip_prefix('}')?;
            Some((value, rest))
        });
        match found {
            Some((value, behind)) => {
                filled.push_str(value);
                rest = behind;
            }
            None => {
                filled.push('{');
                rest = after;
            }
        }
    }
    filled.push_str(rest);
    filled
}

impl Sink for Command {
    fn send(&mut self, body: &RoundBody) -> Answer {
        let written = self.files.send(body);
        if written.verdict != Verdict::Accepted {
            return written;
        }
        let arguments = self.arguments(body);
        let Some((program, arguments)) = arguments.split_first() else { return Answer::accepted() };
        let mut command = std::process::Command::new(program);
        command.args(arguments).env_clear().envs(of_commands()).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        match command.spawn() {
            Ok(child) => wait(child, program, self.timeout),
            Err(error) => {
                Answer::failed(format!("{program} cannot be started: {error}. Install it, or correct the key command."))
            }
        }
    }
}

/// Waits for the end of the program, and kills it with all that it has started when its time is over.
fn wait(mut child: Child, program: &str, timeout: Duration) -> Answer {
    // The child's id is that of its group, and stays its own until it has been waited for.
    let group = Pid::from_raw(child.id().cast_signed());
    let errors = child.stderr.take();
    let (done, ended) = sync_channel::<(std::io::Result<ExitStatus>, String)>(1);
    let waiter = std::thread::Builder::new().name("command".to_owned()).spawn(move || {
        let tail = errors.map(tail).unwrap_or_default();
        // The receiver waits until it has this.
        let _ = done.send((child.wait(), tail));
    });
    if let Err(error) = waiter {
        let _ = killpg(group, Signal::SIGKILL);
        return Answer::failed(format!("{program}: no thread can be started to wait for it: {error}"));
    }
    let (late, outcome) = match ended.recv_timeout(timeout) {
        Err(RecvTimeoutError::Timeout) => {
            let _ = killpg(group, Signal::SIGKILL);
            (true, ended.recv().ok())
        }
        other => (false, other.ok()),
    };
    let Some((status, tail)) = outcome else { return Answer::failed(format!("{program}: it is not known how it ended")) };
    let said = if tail.is_empty() { String::new() } else { format!(" It said: {tail}") };
    match status {
        _ if late => Answer::failed(format!("{program} did not end within {} s and was killed.{said}", timeout.as_secs())),
        Ok(status) if status.success() => Answer::accepted(),
        Ok(status) => Answer::failed(format!("{program} failed ({status}).{said}")),
        Err(error) => Answer::failed(format!("{program}: {error}")),
    }
}

/// Reads to the end and keeps the last bytes as text.
fn tail(mut source: impl Read) -> String {
    let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(count @ 1..) = source.read(&mut buffer) {
        kept.extend_from_slice(&buffer[..count]);
        let extra = kept.len().saturating_sub(TAIL);
        kept.drain(..extra);
    }
    let clean = |char: char| if char.is_control() { ' ' } else { char };
    String::from_utf8_lossy(&kept).chars().map(clean).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::config::{OutputAudience, OutputKind, OutputProfile};

    fn send(arguments: &[&str], timeout: u32) -> (Answer, tempfile::TempDir) {
        let dir = tempfile::tempdir().expect("a folder");
        let output = Output {
            name: "hook".to_owned(),
            kind: OutputKind::Command,
            audience: OutputAudience::Public,
            profile: OutputProfile::Full,
            dir: dir.path().to_owned(),
            split: true,
            boards: String::new(),
            command: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
            url: String::new(),
            token_file: PathBuf::new(),
            round: String::new(),
            every: None,
            timeout: Some(timeout),
            heartbeat: None,
            receiver_delays: false,
        };
        let body = RoundBody { event: "open26".to_owned(), round: "5".to_owned(), ..RoundBody::default() };
        let answer = Command::new(Files::new(output.dir.clone(), true), &output).send(&body);
        (answer, dir)
    }

    #[test]
    fn the_program_gets_paths_and_ids_and_no_shell() {
        // The script checks that `$(id)` was not replaced, and that the environment of this test is not there.
        let script = "test \"$5\" = '$'\"(id)\" && test -z \"$CARGO_PKG_NAME\" && cp \"$1\" \"$2/copy-$3-$4\"";
        let (answer, dir) = send(&["/bin/sh", "-c", script, "sh", "{games}", "{dir}", "{event}", "{round}", "$(id)"], 20);
        assert_eq!(answer, Answer::accepted());
        assert!(dir.path().join("open26/round-5/copy-open26-5").exists());
    }

    #[test]
    fn values_are_put_in_once() {
        let values = ["{dir}", "{event}", "e", "r"].map(str::to_owned);
        for (argument, filled) in [
            ("{games}", "{dir}"),
            ("a{dir}b{round}", "a{event}br"),
            ("{other}{event", "{other}{event"),
            ("{{event}}", "{e}"),
            ("", ""),
        ] {
            assert_eq!(fill(argument, &values), filled, "{argument}");
        }
    }

    #[test]
    fn a_failure_shows_what_the_program_said() {
        let (answer, _) = send(&["/bin/sh", "-c", "echo 'no such host' >&2; exit 3"], 20);
        assert!(answer.message.contains("no such host") && answer.message.contains('3'), "{answer:?}");
        let (answer, _) = send(&["/no/such/program"], 20);
        assert!(answer.message.contains("cannot be started"), "{answer:?}");
    }

    #[test]
    fn a_program_that_hangs_is_killed_with_its_children() {
        let (answer, _) = send(&["/bin/sh", "-c", "echo began >&2; sleep 600 & sleep 600"], 1);
        assert!(answer.message.contains("killed") && answer.message.contains("began"), "{answer:?}");
    }

    #[test]
    fn only_the_end_of_long_errors_is_kept() {
        let text = "x".repeat(5 * TAIL) + "end";
        let kept = tail(text.as_bytes());
        assert!(kept.len() == TAIL && kept.ends_with("end"));
    }
}
