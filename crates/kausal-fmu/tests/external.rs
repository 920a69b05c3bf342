//! External C functions travel with a model: what was compiled where it was exported is loaded where it runs.

mod support;

use std::ffi::{CString, c_int, c_void};
use std::path::Path;
use std::sync::{Arc, Mutex};

use kausal::{Backend, Options, Session};
use kausal_fmi::appearance::Appearance;
use kausal_fmi::description::Kinds;
use kausal_fmi::export::{How, Version, What, archive};
use kausal_fmu::fmi3;
use support::note;

const OK: c_int = 0;

/// A model as an archive, unpacked into a folder; or why it cannot be one.
fn exported(text: &str, folder: &Path, version: Version) -> Result<String, String> {
    let mut session = Session::new();
    session.allow_external();
    let name = session.add_text("M.mo", text).pop().expect("a class");
    let flat = session.flatten(&name).expect("a correct model");
    let options = Options::default();
    let program = session.translate(&flat, &options).expect("a regular model");
    let model = session.compile(program, Backend::Interpreter).expect("code");
    let appearance = Appearance::default();
    let what = What {
        flat: &flat,
        model: &Arc::new(model),
        options: &options,
        sources: session.sources(),
        appearance: &appearance,
    };
    let how = How { version, kinds: Kinds { model_exchange: true, co_simulation: true } };
    let bytes = archive(what, how, &[]).map_err(|d| format!("{}: {}", d.code, d.message))?;
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("an archive");
    zip.extract(folder).expect("unpacked");
    Ok(std::fs::read_to_string(folder.join("modelDescription.xml")).expect("a description"))
}

fn attribute(xml: &str, name: &str) -> String {
    let from = xml.split_once(&format!("{name}=\"")).expect(name).1;
    from.split_once('"').expect(name).0.to_owned()
}

/// The value of a variable at the end of a run of one second.
fn end_of(folder: &Path, xml: &str, variable: &str) -> f64 {
    let log = Mutex::new(Vec::<String>::new());
    let token = CString::new(attribute(xml, "instantiationToken")).expect("a text");
    let path = CString::new(folder.join("resources").to_str().expect("UTF-8")).expect("a text");
    let environment: *mut c_void = std::ptr::from_ref(&log).cast_mut().cast();
    let no = std::ptr::null();
    let c = fmi3::fmi3InstantiateCoSimulation(
        c"one".as_ptr(),
        token.as_ptr(),
        path.as_ptr(),
        false,
        false,
        false,
        false,
        no,
        0,
        environment,
        Some(note),
        None,
    );
    assert!(!c.is_null(), "{log:?}");
    assert_eq!(fmi3::fmi3EnterInitializationMode(c, true, 1e-9, 0.0, true, 1.0), OK, "{log:?}");
    assert_eq!(fmi3::fmi3ExitInitializationMode(c), OK, "{log:?}");
    let (mut event, mut end, mut early, mut reached) = (false, false, false, 0.0);
    let step = fmi3::fmi3DoStep(c, 0.0, 1.0, true, &mut event, &mut end, &mut early, &mut reached);
    assert_eq!(step, OK, "{log:?}");
    let own = xml.split_once(&format!("name=\"{variable}\"")).expect(variable).1;
    let reference: u32 = attribute(own, "valueReference").parse().expect("a number");
    let mut value = f64::NAN;
    assert_eq!(fmi3::fmi3GetFloat64(c, &reference, 1, &mut value, 1), OK, "{log:?}");
    fmi3::fmi3FreeInstance(c);
    value
}

fn compiler() -> bool {
    let there = kausal_external::foreign::has_compiler();
    if !there {
        eprintln!("skipped: there is no C compiler");
    }
    there
}

/// The library stands in a folder that is gone when the model runs; so is that of the archive.
#[test]
fn functions_and_their_libraries_travel() {
    if !compiler() {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let source = home.path().join("thrice.c");
    std::fs::write(&source, "double thrice(double x) { return 3*x; }\n").expect("written");
    let object = home.path().join("libthrice.so");
    let mut compiler = std::process::Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]).arg(&object).arg(&source);
    assert!(compiler.status().expect("a compiler").success());
    let place = format!("file://{}", home.path().display());
    let text = format!(
        "model M
          function half input Real x; output Real y;
            external \"C\" y = half_of(x) annotation(Include = \"static double half_of(double x) {{ return x/2; }}\");
          end half;
          function thrice input Real x; output Real y;
            external \"C\" y = thrice(x) annotation(
              Library = \"thrice\", LibraryDirectory = \"{place}\", Include = \"double thrice(double);\");
          end thrice;
          output Real x(start = 1, fixed = true);
        equation
          der(x) = -half(x) + 0*thrice(x) + thrice(1)/3 - 1;
        end M;"
    );
    for version in [Version::Two, Version::Three] {
        let made = tempfile::tempdir().expect("a folder");
        let xml = exported(&text, made.path(), version).expect("an FMU");
        let platform = kausal_fmi::library::Platform::here().expect("a platform").three;
        let external = made.path().join("resources/external").join(platform);
        assert!(external.join("functions").is_file() && external.join("libthrice.so").is_file());
        if version == Version::Two {
            continue;
        }
        let elsewhere = tempfile::tempdir().expect("a folder");
        let moved = elsewhere.path().join("moved here");
        std::fs::rename(made.path(), &moved).expect("moved");
        std::fs::remove_file(&object).expect("removed");
        assert!((end_of(&moved, &xml, "x") - (-0.5_f64).exp()).abs() < 1e-6);
    }
}

/// What foreign code keeps in objects of its own cannot be saved, and the description says so.
#[test]
fn foreign_objects_are_not_saved() {
    if !compiler() {
        return;
    }
    let text = "model M
      class Counter extends ExternalObject;
        function constructor input Real start; output Counter c;
          external \"C\" c = new_counter(start) annotation(Include = \"#include <stdlib.h>
            static void *new_counter(double s) { double *p = malloc(sizeof *p); *p = s; return p; }
            static void end_counter(void *p) { free(p); }
            static double value_of(void *p) { return *(double *)p; }\");
        end constructor;
        function destructor input Counter c;
          external \"C\" end_counter(c) annotation(Include = \"\");
        end destructor;
      end Counter;
      function value input Counter c; output Real y;
        external \"C\" y = value_of(c) annotation(Include = \"\");
      end value;
      Counter c = Counter(2);
      output Real x(start = 1, fixed = true);
    equation
      der(x) = -value(c)*x;
    end M;";
    let made = tempfile::tempdir().expect("a folder");
    let xml = exported(text, made.path(), Version::Three).expect("an FMU");
    assert!(xml.contains("canGetAndSetFMUState=\"false\"") && !xml.contains("canGetAndSetFMUState=\"true\""));
    assert!((end_of(made.path(), &xml, "x") - (-2.0_f64).exp()).abs() < 1e-6);
}

#[test]
fn a_clock_from_outside_is_refused() {
    let text = "model M
      input Clock c;
      input Real u(start = 0);
      output Real y;
    protected
      Real x(start = 0);
    equation
      when c then x = previous(x) + sample(u); end when;
      y = hold(x);
    end M;";
    let made = tempfile::tempdir().expect("a folder");
    let refused = exported(text, made.path(), Version::Three).expect_err("no FMU");
    assert!(refused.starts_with("K0714: c is a clock"), "{refused}");
}
