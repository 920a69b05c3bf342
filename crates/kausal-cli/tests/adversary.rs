//! A bounded set of random models against independent truths (crate `kausal-adversary`); `bench/adversary` goes on from here.

use std::path::PathBuf;
use std::time::Duration;

use kausal_adversary::campaign::{Campaign, run};
use kausal_adversary::families::Family;

/// Models of each family.
const MODELS: u64 = 8;

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
    for finding in &report.findings {
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
