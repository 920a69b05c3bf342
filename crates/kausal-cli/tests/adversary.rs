//! A bounded set of random models against independent truths (crate `kausal-adversary`); `bench/adversary` goes on from here.

use std::path::PathBuf;
use std::time::Duration;

use kausal_adversary::campaign::{Campaign, run};
use kausal_adversary::families::Family;

/// Models of each family.
const MODELS: u64 = 8;

/// What is known to be wrong and not yet mended, each with its reason.
const KNOWN_WRONG: [(&str, u64); 1] = [
    // An inlined step passes the fold behind which the substrate is negative; classical steps look at the determinant.
    ("enzymes", 67),
];

#[test]
fn random_models_are_right_or_end_with_a_diagnostic() {
    let count = Family::ALL.len() as u64;
    let campaign = Campaign {
        seed: 20,
        from: 0,
        models: MODELS * count,
        time: None,
        jobs: 2,
        families: Family::ALL.to_vec(),
        program: PathBuf::from(env!("CARGO_BIN_EXE_kausal")),
        findings: None,
        limit: Duration::from_secs(20),
    };
    let report = run(&campaign, &|_| ()).expect("a folder for results");
    let mut complaints = String::new();
    for (family, model) in KNOWN_WRONG {
        let found = report.findings.iter().any(|f| f.family == family && f.model == model);
        assert!(found, "{family} {model} is right now: remove it from the list");
    }
    for finding in &report.findings {
        if KNOWN_WRONG.contains(&(finding.family.as_str(), finding.model)) {
            continue;
        }
        complaints += &format!("{} {}: {}\n", finding.family, finding.model, finding.what);
        complaints += &format!("    bench/adversary --seed 20 --from {} --models 1\n", finding.model);
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    for family in Family::ALL {
        let counts = &report.families[family.name()];
        let discarded: u64 = counts.discarded.values().sum();
        // A family whose models are nearly all left out tests nothing.
        assert!(2 * discarded <= counts.models, "{}: {:?}", family.name(), counts.discarded);
    }
}
