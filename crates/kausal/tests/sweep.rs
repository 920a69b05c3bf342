//! Sweeps: values, rows, files, and that nothing depends on threads or interruptions.

use std::fs;
use std::time::Duration;

use kausal::sweep::{Distribution, Quantity, Runs, Sampling, Side, Status, Values};
use kausal::{ErrorKind, Method, Model, Setting};

const DECAY: &str = "model Decay parameter Real k = 1; parameter Integer n = 2; Real x(start = 1, fixed = true);
    Real s[n] = fill(x, n); Real y = sum(s); equation der(x) = -k*x; assert(k < 1.9, \"too fast\"); end Decay;";

fn model(text: &str) -> Model {
    Model::from_text(text).expect("a model")
}

fn bits(runs: &Runs) -> Vec<u64> {
    runs.quantities().iter().flat_map(|q| runs.get(q).expect("a column")).map(f64::to_bits).collect()
}

/// x = exp(-k t), so at 1 it is exp(-k), its mean (1 - exp(-k))/k, and below 1/2 from ln(2)/k on. The last run violates an assertion.
#[test]
fn numbers_of_runs_are_those_of_the_solution() {
    let runs = model(DECAY)
        .sweep()
        .vary("k", Values::linear(0.5, 2.0, 16))
        .tolerance(1e-9)
        .last("x")
        .min("x")
        .max("x")
        .mean("x")
        .integral("y")
        .quantity(Quantity::When("x".into(), Side::Below, 0.5))
        .run()
        .expect("a sweep");
    assert_eq!(runs.len(), 16);
    let k = runs.get("k").expect("a column");
    let columns: Vec<Vec<f64>> = runs.quantities().iter().map(|q| runs.get(q).expect("a column")).collect();
    for run in 0..16 {
        let k = k[run];
        if k >= 1.9 {
            assert_eq!(runs.status(run), Some(Status::Failed));
            assert!(runs.reason(run).is_some_and(|why| why.contains("too fast")), "{:?}", runs.reason(run));
            assert!(columns.iter().all(|column| column[run].is_nan()));
            continue;
        }
        let (end, mean) = ((-k).exp(), (1.0 - (-k).exp()) / k);
        let when = if k > 2f64.ln() { 2f64.ln() / k } else { f64::NAN };
        for (column, exact) in columns.iter().zip([end, end, 1.0, mean, 2.0 * mean, when]) {
            let value = column[run];
            assert!(
                (value - exact).abs() < 1e-7 || value.is_nan() && exact.is_nan(),
                "k {k}: {value} {exact}"
            );
        }
        assert_eq!(runs.end(run), Some(1.0));
    }
    assert_eq!(runs.failed(), k.iter().filter(|k| **k >= 1.9).count());
}

/// The rows of a grid, with a structural parameter and one that has another sign, equal runs of models with these values.
#[test]
fn a_sweep_equals_single_runs() {
    let text = "model M parameter Integer n = 2; parameter Real a = 1; parameter Real b = 1; Real x[n](each start = 1, each fixed = true);
        Real y = sum(x)*b/a; equation for i in 1:n loop der(x[i]) = -i*a*a*x[i]; end for; end M;";
    let model = model(text);
    let runs = model
        .sweep()
        .vary("n", [1.0, 2.0, 3.0])
        .vary("a", [-2.0, -1.0, 0.5, 1.0])
        .vary("b", [1.0, 3.0])
        .method(Method::DormandPrince)
        .last("y")
        .run()
        .expect("a sweep");
    assert_eq!((runs.len(), runs.failed()), (24, 0));
    let y = runs.get("final(y)").expect("a column");
    for (run, y) in y.into_iter().enumerate() {
        let of = |name: &str| match runs.parameter(name).expect("a column")[run] {
            Setting::Number(value) => value,
            Setting::Word(_) => panic!("a number"),
        };
        let (n, a, b) = (of("n"), of("a"), of("b"));
        let exact: f64 = (1..=n as i32).map(|i| (-f64::from(i) * a * a).exp()).sum::<f64>() * b / a;
        assert!((y - exact).abs() < 1e-5 * exact.abs().max(1.0), "{n} {a} {b}: {y} {exact}");
    }
}

#[test]
fn threads_change_nothing() {
    let model = model(
        "model Bounce parameter Real e = 0.8; Real h(start = 1, fixed = true); Real v(start = 0, fixed = true);
         equation der(h) = v; der(v) = -9.81; when h < 0 then reinit(v, -e*pre(v)); end when; end Bounce;",
    );
    let sweep = |threads| {
        model
            .sweep()
            .vary("e", Distribution::Uniform(0.7, 0.9))
            .vary("h", Distribution::Normal(1.0, 0.1))
            .runs(200)
            .seed(11)
            .sampling(Sampling::Sobol)
            .stop(1.5)
            .last("v")
            .max("h")
            .mean("v")
            .threads(threads)
            .run()
            .expect("a sweep")
    };
    let one = sweep(1);
    assert_eq!(one.failed(), 0);
    for threads in [2, 5] {
        assert_eq!(bits(&one), bits(&sweep(threads)));
    }
}

/// Interrupted after some runs, resumed with another number of threads: the same files, byte for byte in CSV.
#[test]
fn an_interrupted_sweep_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = model(DECAY);
    for ending in ["csv", "parquet"] {
        let path = |name: &str| folder.path().join(format!("{name}.{ending}"));
        let sweep = |name: &str| {
            model
                .sweep()
                .vary("k", Distribution::Uniform(0.5, 2.0))
                .runs(3000)
                .seed(3)
                .last("x")
                .integral("x")
                .trajectories_over(["x"], 4)
                .write(path(name))
                .write_trajectories(path(&format!("{name}-t")))
        };
        assert!(sweep("whole").sweep().expect("a sweep").complete);
        assert!(!path("whole").with_extension(format!("{ending}.sweep")).exists());
        let first = sweep("part").threads(3).progress(|p| p.done < 100).sweep().expect("a sweep");
        assert!(!first.complete && first.made > 0 && first.made < 3000, "{first:?}");
        // Another sweep is not continued.
        let other = sweep("part").seed(4).resume(true).sweep().expect_err("another one");
        assert_eq!((other.kind(), other.code()), (ErrorKind::Output, "K0571"));
        let rest = sweep("part").threads(2).resume(true).sweep().expect("a sweep");
        assert_eq!((rest.complete, rest.found, rest.found + rest.made), (true, first.made, 3000));
        if ending == "csv" {
            for name in ["", "-t"] {
                let bytes = |which: &str| fs::read(path(&format!("{which}{name}"))).expect("a file");
                assert!(bytes("whole") == bytes("part"));
            }
        }
        let again = sweep("part").resume(true).sweep().expect("nothing to do");
        assert_eq!((again.complete, again.made), (true, 0));
    }
}

#[test]
fn a_part_is_a_part_of_the_whole() {
    let model = model(DECAY);
    let sweep = || model.sweep().vary("k", Distribution::Uniform(0.5, 1.5)).runs(50).last("x");
    let whole = sweep().run().expect("a sweep").get("final(x)").expect("a column");
    let part = sweep().part(20, 31).run().expect("a sweep");
    assert_eq!((part.first(), part.len()), (20, 11));
    assert_eq!(part.get("final(x)").expect("a column"), whole[20..31]);
}

#[test]
fn trajectories_are_on_the_grid() {
    let text = "model M parameter Real a = 1; Real x(start = 0, fixed = true); discrete Integer n(start = 0, fixed = true);
        equation der(x) = a; when sample(0.5, 0.5) then n = pre(n) + 1; end when;
        when x > 1.2 then terminate(\"far enough\"); end when; end M;";
    let runs = model(text)
        .sweep()
        .vary("a", [1.0, 2.0])
        .trajectories(["x", "n"], vec![0.0, 0.25, 0.5, 1.0])
        .run()
        .expect("a sweep");
    let near = |a: Vec<f64>, b: [f64; 4]| {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9 || a.is_nan() && b.is_nan())
    };
    let of = |run, name| runs.trajectory(run, name).expect("a trajectory");
    assert!(near(of(0, "x"), [0.0, 0.25, 0.5, 1.0]) && near(of(0, "n"), [0.0, 0.0, 1.0, 2.0]));
    assert!(near(of(1, "x"), [0.0, 0.5, 1.0, f64::NAN]) && near(of(1, "n"), [0.0, 0.0, 1.0, f64::NAN]));
    assert_eq!((runs.status(1), runs.reason(1)), (Some(Status::Terminated), Some("far enough")));
}

#[test]
fn a_run_that_takes_too_long_is_a_row() {
    let text = "model M parameter Real f = 1; Real x(start = 0, fixed = true); equation der(x) = sin(f*time); end M;";
    let runs = model(text)
        .sweep()
        .vary("f", [1.0, 1e9, 2.0])
        .stop(10.0)
        .timeout(Duration::from_millis(300))
        .last("x")
        .run()
        .expect("a sweep");
    assert_eq!(runs.status(1), Some(Status::TimedOut), "{:?}", runs.reason(1));
    let x = runs.get("final(x)").expect("a column");
    assert!((x[2] - (1.0 - 20f64.cos()) / 2.0).abs() < 1e-4 && x[1].is_nan());
}

#[test]
fn what_cannot_be_swept_is_said() {
    let model = model(DECAY);
    let code = |result: Result<Runs, kausal::Error>| {
        let error = result.expect_err("it makes no sense");
        assert_eq!(error.kind(), ErrorKind::Request, "{error}");
        error.code().to_owned()
    };
    assert_eq!(code(model.sweep().vary("q", [1.0]).run()), "K0910");
    assert_eq!(code(model.sweep().vary("k", [1.0]).last("q").run()), "K0910");
    assert_eq!(code(model.sweep().vary("k", Distribution::Uniform(0.0, 1.0)).run()), "K0570");
    assert_eq!(code(model.sweep().vary("k", [1.0]).vary("k", [2.0]).run()), "K0570");
    assert_eq!(code(model.sweep().vary("k", Vec::<f64>::new()).run()), "K0570");
    assert_eq!(code(model.sweep().vary("k", [1.0]).trajectories(["x"], vec![7.0]).run()), "K0570");
    // A value that is none is a row.
    let runs = model.sweep().vary("n", [2.0, 1.5]).last("y").run().expect("a sweep");
    assert_eq!(runs.failed(), 1);
    assert!(runs.reason(1).is_some_and(|why| why.contains("whole number")), "{:?}", runs.reason(1));
}
