//! Many models, one after the other or on several threads: counts, findings, and the smallest model for each.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::case::{Case, Expectation};
use crate::check::{Bench, Verdict, check, ends};
use crate::choices::{Choices, Record};
use crate::families::Family;
use crate::options::{self, Options};
use crate::random::Random;
use crate::reduce::reduce;
use crate::reference::{Doubt, Truth, certain};

/// What to run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The seed.
    pub seed: u64,
    /// The number of the first model.
    pub from: u64,
    /// As many models.
    pub models: u64,
    /// No new model after this time.
    pub time: Option<Duration>,
    /// Threads.
    pub jobs: usize,
    /// Families, taken in turn.
    pub families: Vec<Family>,
    /// The program `kausal`.
    pub program: PathBuf,
    /// Folder for findings; without it nothing is reduced or written.
    pub findings: Option<PathBuf>,
    /// Longer runs of the program are hangs.
    pub limit: Duration,
}

/// Counts of one family.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    /// All models.
    pub models: u64,
    /// Right numbers.
    pub right: u64,
    /// Models that have a solution and failed, by code.
    pub failures: BTreeMap<String, u64>,
    /// Diagnostics where one is allowed.
    pub diagnosed: u64,
    /// Wrong numbers without a word.
    pub silent_wrong: u64,
    /// Wrong numbers with a warning.
    pub warned_wrong: u64,
    /// Runs that did not end.
    pub hangs: u64,
    /// Runs that ended without a diagnostic.
    pub crashes: u64,
    /// Models for which the reference itself is not certain, by reason.
    pub discarded: BTreeMap<String, u64>,
}

/// A finding.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// The family.
    pub family: String,
    /// The number of the model.
    pub model: u64,
    /// What is wrong.
    pub what: String,
    /// How it was run.
    pub command: String,
    /// Where the reduced model is.
    pub file: Option<String>,
}

/// The outcome.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// Counts by family.
    pub families: BTreeMap<String, Counts>,
    /// Findings by model.
    pub findings: Vec<Finding>,
    /// How long it took.
    pub seconds: f64,
}

impl Report {
    /// Sum over the families.
    pub fn total(&self, what: impl Fn(&Counts) -> u64) -> u64 {
        self.families.values().map(what).sum()
    }

    /// Nothing silent, no hang, no crash.
    pub fn is_clean(&self) -> bool {
        self.total(|c| c.silent_wrong + c.hangs + c.crashes) == 0
    }
}

/// A random model with how it is run.
pub fn make(family: Family, choices: &mut Choices) -> (Case, Options) {
    let options = options::choose(choices, family.is_stiff());
    (family.generate(choices), options)
}

/// The truth of a model under the options of its run.
pub fn truth(case: &Case, options: &Options) -> Result<Truth, Doubt> {
    let signals: Vec<_> = case.signals.iter().map(|(_, kind)| *kind).collect();
    let times: Vec<f64> =
        (0..=options.intervals).map(|k| case.stop * k as f64 / options.intervals as f64).collect();
    certain(&*case.reference, &signals, &times, options.tolerance, REFERENCE_LIMIT)
}

/// Runs the reference and the program. Where events never end the run ends before that; where they do so at once, the program
/// may say so, and must not hang.
fn judge(bench: &Bench, case: &mut Case, options: &Options) -> Result<Verdict, Doubt> {
    let truth = match truth(case, options) {
        Err(Doubt::Chattering(t)) if t > 0.1 * case.stop => {
            case.stop = BEFORE_CHATTERING * t;
            truth(case, options)?
        }
        Err(Doubt::Chattering(t)) => {
            case.expectation = Expectation::DiagnosticAllowed;
            return ends(bench, case, options).ok_or(Doubt::Chattering(t));
        }
        other => other?,
    };
    Ok(check(bench, case, options, &truth))
}

/// The part of the time up to an accumulation of events that is simulated.
const BEFORE_CHATTERING: f64 = 0.9;
/// The reference may take so long for each of its runs.
const REFERENCE_LIMIT: Duration = Duration::from_secs(10);
/// Reducing a finding may take so long.
const REDUCE_LIMIT: Duration = Duration::from_secs(30);
/// Findings of one family and kind that are reduced.
const REDUCED: usize = 3;

/// Runs a campaign; `said` hears of every finding.
pub fn run(campaign: &Campaign, said: &(dyn Fn(&Finding) + Sync)) -> std::io::Result<Report> {
    let began = Instant::now();
    let next = AtomicU64::new(campaign.from);
    let report = Mutex::new(Report { seed: campaign.seed, ..Report::default() });
    let reduced: Mutex<BTreeMap<(String, String), usize>> = Mutex::new(BTreeMap::new());
    let root = std::env::temp_dir().join(format!("kausal-adversary-{}", std::process::id()));
    std::thread::scope(|scope| {
        for job in 0..campaign.jobs {
            let (next, report, reduced) = (&next, &report, &reduced);
            let folder = root.join(job.to_string());
            scope.spawn(move || {
                if fs::create_dir_all(&folder).is_err() {
                    return;
                }
                let bench = Bench { program: campaign.program.clone(), folder, limit: campaign.limit };
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let late = campaign.time.is_some_and(|limit| began.elapsed() > limit);
                    if index - campaign.from >= campaign.models || late {
                        return;
                    }
                    let family = campaign.families[(index % campaign.families.len() as u64) as usize];
                    one(campaign, &bench, family, index, report, reduced, said);
                }
            });
        }
    });
    let _ = fs::remove_dir_all(&root);
    let mut report = report.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    report.findings.sort_by_key(|f| f.model);
    report.seconds = began.elapsed().as_secs_f64();
    Ok(report)
}

fn one(
    campaign: &Campaign,
    bench: &Bench,
    family: Family,
    index: u64,
    report: &Mutex<Report>,
    reduced: &Mutex<BTreeMap<(String, String), usize>>,
    said: &(dyn Fn(&Finding) + Sync),
) {
    let mut choices = Choices::new(Random::of_model(campaign.seed, index));
    let (mut case, options) = make(family, &mut choices);
    let outcome = judge(bench, &mut case, &options);
    let finding = {
        let mut report = report.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        count(report.families.entry(family.name().to_owned()).or_default(), &case, &outcome)
    };
    let Some(kind) = finding else { return };
    let Ok(verdict) = outcome else { return };
    let mut finding = Finding {
        family: family.name().to_owned(),
        model: index,
        what: describe(&verdict),
        command: command(&case, &options),
        file: None,
    };
    if let Some(folder) = &campaign.findings {
        let first = {
            let mut reduced = reduced.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            let so_far = reduced.entry((finding.family.clone(), kind.clone())).or_default();
            *so_far += 1;
            *so_far <= REDUCED
        };
        let record = choices.into_record();
        let record = if first { smallest(bench, family, record, &verdict) } else { record };
        finding.file = write(folder, campaign.seed, index, bench, family, record);
    }
    said(&finding);
    report.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).findings.push(finding);
}

/// Counts an outcome; the kind of finding, if it is one.
fn count(counts: &mut Counts, case: &Case, outcome: &Result<Verdict, Doubt>) -> Option<String> {
    counts.models += 1;
    match outcome {
        Err(doubt) => {
            let name = format!("{doubt:?}");
            let name = name.split('(').next().unwrap_or_default().to_lowercase();
            *counts.discarded.entry(name).or_default() += 1;
            return None;
        }
        Ok(Verdict::Right) => {
            counts.right += 1;
            return None;
        }
        Ok(Verdict::Failed { .. }) if case.expectation == Expectation::DiagnosticAllowed => {
            counts.diagnosed += 1;
            return None;
        }
        Ok(Verdict::Failed { code, .. }) => *counts.failures.entry(code.clone()).or_default() += 1,
        Ok(Verdict::Wrong { warnings, .. }) if warnings.is_empty() => counts.silent_wrong += 1,
        Ok(Verdict::Wrong { .. }) => counts.warned_wrong += 1,
        Ok(Verdict::Hang) => counts.hangs += 1,
        Ok(Verdict::Crash(_)) => counts.crashes += 1,
    }
    outcome.as_ref().ok().map(kind)
}

/// Findings of the same kind are taken for the same while reducing.
fn kind(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Right => "right".to_owned(),
        Verdict::Failed { code, .. } => code.clone(),
        Verdict::Wrong { warnings, .. } if warnings.is_empty() => "wrong".to_owned(),
        Verdict::Wrong { .. } => "warned".to_owned(),
        Verdict::Hang => "hang".to_owned(),
        Verdict::Crash(_) => "crash".to_owned(),
    }
}

/// One line about a verdict.
pub fn describe(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Right => "right".to_owned(),
        Verdict::Failed { message, .. } => format!("failed: {message}"),
        Verdict::Wrong { deviation: d, warnings } => format!(
            "{} {}({}) = {:.6e}, right is {:.6e}; {:.1e} of its largest magnitude {:.3e}, {:.1} times what is allowed{}",
            if warnings.is_empty() { "silently wrong:" } else { "wrong:" },
            d.signal,
            d.time,
            d.got,
            d.expected,
            (d.got - d.expected).abs() / d.scale.max(f64::MIN_POSITIVE),
            d.scale,
            (d.got - d.expected).abs() / d.allowed,
            if warnings.is_empty() { String::new() } else { format!(" (warnings: {})", warnings.join(", ")) },
        ),
        Verdict::Hang => "hangs".to_owned(),
        Verdict::Crash(message) => format!("crashes: {message}"),
    }
}

fn command(case: &Case, options: &Options) -> String {
    format!("kausal simulate {0}.mo --model {0} {1}", case.name, options.words(case.stop).join(" "))
}

/// How far a wrong number must be off while it is reduced, in units of what is allowed: what is far off stays clearly so.
const CLEARLY: f64 = 10.0;

/// How far off a verdict is, in units of what is allowed.
fn excess(verdict: &Verdict) -> f64 {
    match verdict {
        Verdict::Wrong { deviation: d, .. } if d.got.is_finite() => (d.got - d.expected).abs() / d.allowed,
        _ => f64::INFINITY,
    }
}

/// The reduced choices.
fn smallest(bench: &Bench, family: Family, record: Record, found: &Verdict) -> Record {
    let (wanted, least) = (kind(found), excess(found).min(CLEARLY));
    reduce(record, REDUCE_LIMIT, &mut |values| {
        let mut choices = Choices::given(values.clone());
        let (mut case, options) = make(family, &mut choices);
        let verdict = judge(bench, &mut case, &options).ok()?;
        (kind(&verdict) == wanted && excess(&verdict) >= least).then(|| choices.into_record())
    })
}

/// Writes the model with its command line and the numbers expected; where it is.
fn write(
    folder: &Path,
    seed: u64,
    index: u64,
    bench: &Bench,
    family: Family,
    record: Record,
) -> Option<String> {
    let values = record.iter().map(|(n, c)| (n.clone(), c.value)).collect();
    let (mut case, options) = make(family, &mut Choices::given(values));
    let verdict = judge(bench, &mut case, &options).ok()?;
    let truth = truth(&case, &options).ok()?;
    let mut text = format!(
        "// Family {}, seed {seed}, model {index}\n// {}\n// {}\n",
        family.name(),
        command(&case, &options),
        describe(&verdict)
    );
    let names: Vec<&str> = case.signals.iter().map(|(n, _)| n.as_str()).collect();
    text += &format!("// right (time, {}):\n", names.join(", "));
    let last = truth.times.len() - 1;
    for k in (0..=8).map(|k| k * last / 8) {
        let values: Vec<String> = truth.values[k].iter().map(|v| format!("{v:.9e}")).collect();
        text += &format!("//   {:.6}, {}\n", truth.times[k], values.join(", "));
    }
    text += &case.text;
    fs::create_dir_all(folder).ok()?;
    let path = folder.join(format!("{}_{seed}_{index}.mo", family.name()));
    fs::write(&path, text).ok()?;
    Some(path.display().to_string())
}
