//! Memory, threads and descriptors of the programs, as the operating system counts them.

use std::collections::BTreeMap;
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};

use super::super::hall::Hall;
use crate::support::waiting::pause;

/// From one sample to the next.
const EVERY: Duration = Duration::from_secs(30);
/// Threads and descriptors may need this time to be as they were.
const SETTLES: Duration = Duration::from_secs(20);

/// One process at one time. Memory is in KiB.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    /// Seconds since the beginning.
    pub(super) at: f64,
    pub(super) rss: u64,
    pub(super) anonymous: u64,
    pub(super) threads: u64,
    pub(super) descriptors: u64,
}

impl Sample {
    /// None if there is no such process.
    fn take(process: u32, began: MonotonicTime) -> Option<Sample> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let value = |name: &str| {
            let rest = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            rest.split_whitespace().next()?.parse().ok()
        };
        let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).ok()?.count() as u64;
        let at = monotonic().since(began).as_secs_f64();
        Some(Sample { at, rss: value("VmRSS")?, anonymous: value("RssAnon")?, threads: value("Threads")?, descriptors })
    }
}

/// The samples of one program.
#[derive(Clone, Default)]
pub(super) struct Series {
    process: u32,
    /// Those since the start of its last process.
    pub(super) samples: Vec<Sample>,
    /// Those of the quiet moments, of all its processes.
    pub(super) quiet: Vec<Sample>,
}

impl Series {
    /// Adds a sample. Another process begins with other memory, but must come to the same threads and descriptors.
    fn add(&mut self, process: u32, sample: Option<Sample>) {
        if self.process != process {
            self.process = process;
            self.samples.clear();
        }
        self.samples.extend(sample);
    }

    /// How fast the memory grows by least squares over the last three quarters of the time, in MB (10^6 bytes) an hour; none if there
    /// are too few samples.
    pub(super) fn slope(&self) -> Option<f64> {
        let (first, last) = (self.samples.first()?.at, self.samples.last()?.at);
        let from = first + (last - first) / 4.0;
        let late: Vec<(f64, f64)> =
            self.samples.iter().filter(|one| one.at >= from).map(|one| (one.at, one.rss as f64)).collect();
        let count = late.len() as f64;
        let mean = |value: fn(&(f64, f64)) -> f64| late.iter().map(value).sum::<f64>() / count;
        let (x, y) = (mean(|one| one.0), mean(|one| one.1));
        let below: f64 = late.iter().map(|one| (one.0 - x).powi(2)).sum();
        let above: f64 = late.iter().map(|one| (one.0 - x) * (one.1 - y)).sum();
        (late.len() >= 3 && below > 0.0).then(|| above / below * 1024.0 / 1e6 * 3600.0)
    }
}

/// The series of all processes, by name.
#[derive(Default)]
pub(super) struct Processes {
    pub(super) series: BTreeMap<String, Series>,
    last: Option<MonotonicTime>,
}

impl Processes {
    /// Takes a sample of every process if it is time for it.
    pub(super) fn sample(&mut self, hall: &Hall, began: MonotonicTime) {
        if self.last.is_none_or(|last| monotonic().since(last) >= EVERY) {
            self.take(hall, began);
        }
    }

    fn take(&mut self, hall: &Hall, began: MonotonicTime) {
        self.last = Some(monotonic());
        for (name, process) in processes(hall) {
            self.series.entry(name).or_default().add(process, Sample::take(process, began));
        }
    }

    /// Takes a sample in a quiet moment. Returns the processes whose threads or descriptors are not as at the first quiet moment.
    pub(super) fn quiet(&mut self, hall: &Hall, began: MonotonicTime) -> Vec<String> {
        let until = monotonic().after(SETTLES);
        loop {
            pause(Duration::from_secs(5));
            self.take(hall, began);
            let different: Vec<String> = self.series.iter().filter_map(|(name, series)| difference(name, series)).collect();
            if different.is_empty() || monotonic() >= until {
                for series in self.series.values_mut() {
                    series.quiet.extend(series.samples.last());
                }
                return different;
            }
        }
    }
}

/// How the last sample differs from the first quiet one. The broker and its descriptors are not ours to judge.
fn difference(name: &str, series: &Series) -> Option<String> {
    let (first, last) = (series.quiet.first()?, series.samples.last()?);
    let differ = (first.threads, first.descriptors) != (last.threads, last.descriptors);
    (differ && name != "mosquitto").then(|| {
        let (before, now) = ((first.threads, first.descriptors), (last.threads, last.descriptors));
        format!("{name}: {} threads and {} descriptors, and not {} and {}", now.0, now.1, before.0, before.1)
    })
}

/// The processes of the hall, by name.
fn processes(hall: &Hall) -> Vec<(String, u32)> {
    let nodes = (1..).zip(hall.node_pids()).map(|(number, process): (usize, u32)| (format!("node {number}"), process));
    let collector = hall.collector.iter().map(|collector| ("collector".to_owned(), collector.pid()));
    nodes.chain(collector).chain(hall.broker.pid().map(|process| ("mosquitto".to_owned(), process))).collect()
}

#[test]
fn slope_and_differences_of_a_series() {
    let sample = |at: u32| {
        // Much in the warm-up, and then 1000 KiB in an hour.
        let rss = if at < 900 { u64::from(at) * 100 } else { 90_000 + u64::from(at) * 1000 / 3600 };
        Sample { at: at.into(), rss, anonymous: 0, threads: 5, descriptors: 9 }
    };
    let mut series = Series { samples: (0..=120).map(|number| sample(number * 30)).collect(), ..Series::default() };
    let slope = series.slope().expect("a slope");
    assert!((slope - 1.024).abs() < 0.01, "{slope}");
    assert_eq!(Series { samples: vec![sample(0); 5], ..Series::default() }.slope(), None);
    series.quiet.push(sample(0));
    assert_eq!(difference("node 1", &series), None);
    series.samples.push(Sample { descriptors: 10, ..sample(3630) });
    assert_eq!(difference("mosquitto", &series), None);
    assert_eq!(difference("node 1", &series).as_deref(), Some("node 1: 5 threads and 10 descriptors, and not 5 and 9"));
    series.add(8, Some(Sample { descriptors: 11, ..sample(3660) }));
    assert_eq!(series.samples.len(), 1, "another process");
    assert_eq!(difference("node 1", &series).as_deref(), Some("node 1: 5 threads and 11 descriptors, and not 5 and 9"));
}
