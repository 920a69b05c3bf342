//! Models as C text in FMUs: a compiler makes libraries of them without a warning, and these give the curves of the models.

use std::io::{Cursor, Read, Write};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use kausal::{Backend, CSettings, Inline, Model, Options, Session};
use kausal_fmi::appearance::Appearance;
use kausal_fmi::export::{self, Version, What};
use kausal_fmi::import::host::FmuHost;
use kausal_fmi::import::interface::Role;
use kausal_fmi::import::{Fmu, block};
use kausal_fmi::library::Platform;
use kausal_fmi::source;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

/// Values of all types, events of states and of time, and a parameter that others follow from.
const PLANT: &str = "model Plant
  type Mode = enumeration(idle, busy);
  parameter Real k = 2 \"Gain\";
  parameter Real twice = 2*k;
  parameter Integer n = 3;
  input Real u(start = 0.5);
  input Boolean on(start = true);
  output Real y = -x;
  output Integer count(start = 0, fixed = true);
  output Boolean high = x > 0.6;
  Mode mode = if on then Mode.busy else Mode.idle;
  Real x(start = 0.1*n, fixed = true);
  Real z(start = 1, fixed = true);
equation
  der(x) = (if on then u else 0) - x*twice/4;
  der(z) = -50*z + x;
  when sample(0.25, 0.25) then
    count = pre(count) + 1;
  end when;
  annotation(experiment(StopTime = 2, Interval = 0.01));
end Plant;";

/// What the C text has no place for.
const REFUSED: [(&str, &str); 3] = [
    (
        "model M Real x(start = 1, fixed = true); Real y = delay(x, 0.1); equation der(x) = -y; end M;",
        "delay",
    ),
    (
        "model M impure function show input String s; external \"C\" ModelicaInternal_print(s, \"\"); end show;
         algorithm when time > 0.5 then show(\"now\"); end when; end M;",
        "the external function M.show",
    ),
    ("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;", "no method of integration"),
];

fn exported(text: &str, inline: Inline, version: Version) -> Result<Vec<u8>, kausal::Diagnostic> {
    let mut session = Session::new();
    let name = session.add_text("M.mo", text).pop().expect("a class");
    let flat = session.flatten(&name).expect("a correct model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a regular model");
    let model = Arc::new(session.compile(program, Backend::Interpreter).expect("code"));
    let appearance = Appearance::default();
    let what = What {
        flat: &flat,
        model: &model,
        options: &options,
        sources: session.sources(),
        appearance: &appearance,
    };
    let code = kausal::c_code_with(&model.program, CSettings::default()).expect("C text");
    source::archive(what, version, &code, 0.01)
}

/// The archive with the library that a C compiler makes of it. None where there is no compiler.
fn compiled(archive: &[u8], version: Version, folder: &Path) -> Option<()> {
    let mut zip = ZipArchive::new(Cursor::new(archive)).expect("an archive");
    let mut out = ZipWriter::new(std::fs::File::create(folder.join("m.fmu")).expect("a file"));
    std::fs::create_dir_all(folder.join("sources")).expect("a folder");
    for i in 0..zip.len() {
        let mut file = zip.by_index(i).expect("a file");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("bytes");
        let name = file.name().expect("a name").into_owned();
        out.start_file(&name, SimpleFileOptions::default()).expect("a file");
        out.write_all(&bytes).expect("written");
        if name.starts_with("sources/") {
            std::fs::write(folder.join(&name), &bytes).expect("written");
        }
    }
    let platform = Platform::here()?;
    let library = folder.join("library");
    let made = Command::new("cc")
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fPIC", "-shared", "-o"])
        .arg(&library)
        .arg(folder.join("sources").join(source::compiled(version)))
        .arg("-lm")
        .output()
        .ok()?;
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let place = match version {
        Version::Two => platform.two?,
        Version::Three => platform.three,
    };
    let name = format!("binaries/{place}/Plant{}", platform.ending);
    out.start_file(name, SimpleFileOptions::default()).expect("a file");
    out.write_all(&std::fs::read(library).expect("bytes")).expect("written");
    out.finish().expect("an archive");
    Some(())
}

fn model(text: &str, class: &str) -> Model {
    let loader = Model::loader().host(FmuHost::shared()).allow_external(true).modelica_path(false);
    loader.class(class).text(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_compiler_makes_the_library() {
    let instants: Vec<f64> = (0..=20).map(|k| 0.1 * f64::from(k)).collect();
    let driven = |component: &str, clocked: &str| {
        format!(
            "{component}\nmodel Driven Plant p({clocked}k = 3); Real y = p.y; Integer count = p.count; Boolean high = p.high;
             equation p.u = if time < 1 then 2 else 1; p.on = time < 1.5;
             annotation(experiment(StopTime = 2)); end Driven;"
        )
    };
    let own = model(&driven(PLANT, ""), "Driven");
    let expected = own.simulation().tolerance(1e-9).instants(instants.iter().copied()).run().expect("a run");
    for version in [Version::Two, Version::Three] {
        let folder = tempfile::tempdir().expect("a folder");
        let archive = exported(PLANT, Inline::Radau, version).expect("an FMU");
        let Some(()) = compiled(&archive, version, folder.path()) else {
            eprintln!("skipped: there is no C compiler");
            return;
        };
        let fmu = Fmu::open(&folder.path().join("m.fmu")).unwrap_or_else(|list| panic!("{list:?}"));
        assert!(fmu.role(Some(Role::ModelExchange)).is_err());
        let component = block::write(&fmu, Role::CoSimulation, false).text;
        let whole = model(&driven(&component, "communicationInterval = 0.01, "), "Driven");
        let found =
            whole.simulation().tolerance(1e-9).instants(instants.iter().copied()).run().expect("a run");
        for (signal, near) in [("y", 0.02), ("count", 1.0), ("high", 1.0)] {
            let last = |run: &kausal::Solution, t: f64| -> f64 {
                let row = run.time().iter().rposition(|s| (s - t).abs() < 1e-12).expect("an output point");
                run.get(signal).expect("a signal")[row]
            };
            // Between events, an interval later: inputs and outputs are exchanged at communication points.
            for t in [0.0, 0.4, 0.9, 1.4, 1.9] {
                let (wanted, is) = (last(&expected, t), last(&found, t));
                let off = (wanted - is).abs();
                assert!(
                    if near < 1.0 { off < near } else { off == 0.0 },
                    "{version:?} {signal} at {t}: {wanted}, {is}"
                );
            }
        }
    }
}

#[test]
fn what_c_text_has_no_place_for_is_said() {
    for (text, says) in REFUSED {
        let inline = if says.starts_with("no method") { Inline::Off } else { Inline::ImplicitEuler };
        let error = exported(text, inline, Version::Three).expect_err("it cannot");
        assert!(error.code == "K0713" && error.message.contains(says), "{error:?}");
    }
}

#[test]
fn the_same_model_gives_the_same_bytes() {
    let one = exported(PLANT, Inline::Bdf, Version::Three).expect("an FMU");
    assert!(one == exported(PLANT, Inline::Bdf, Version::Three).expect("an FMU"));
    assert!(export::write(Path::new("/nowhere/m.fmu"), &one).is_err());
}
