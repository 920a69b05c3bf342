//! Broken FMUs, each with the diagnostic it must give. Nothing here may panic, unpack outside of a folder or fill a disk.

use std::io::{Cursor, Write};
use std::path::Path;

use kausal::Diagnostic;
use kausal_fmi::import::host::load;
use kausal_fmi::import::interface::Role;
use kausal_fmi::import::{Fmu, block};
use kausal_fmi::library::Platform;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A description of FMI 3.0 that is right.
const GOOD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="M" instantiationToken="{1}">
  <ModelExchange modelIdentifier="M"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent"/>
    <Float64 name="p" valueReference="1" causality="parameter" variability="fixed" start="1"/>
    <Float64 name="u" valueReference="2" causality="input" start="0"/>
    <Float64 name="x" valueReference="3" causality="output" initial="exact" start="2"/>
    <Float64 name="der(x)" valueReference="4" derivative="3"/>
    <Int32 name="n" valueReference="5" causality="structuralParameter" start="2"/>
    <Float64 name="a" valueReference="6" causality="parameter" variability="fixed" start="1 2"><Dimension valueReference="5"/></Float64>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="3" dependencies="2 3"/>
    <ContinuousStateDerivative valueReference="4"/>
  </ModelStructure>
</fmiModelDescription>"#;

/// A description of FMI 2.0 that is right.
const GOOD2: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="M" guid="{1}" numberOfEventIndicators="0">
  <CoSimulation modelIdentifier="M"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="0" causality="output" initial="exact"><Real start="1"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="1"><Real derivative="1"/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="1"/></Outputs>
    <Derivatives><Unknown index="2"/></Derivatives>
  </ModelStructure>
</fmiModelDescription>"#;

type Files<'a> = &'a [(&'a str, &'a [u8])];

fn archive(files: Files) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        zip.start_file(*name, options).expect("a file");
        zip.write_all(bytes).expect("written");
    }
    zip.finish().expect("an archive").into_inner()
}

/// What is said about bytes as an FMU, without the path.
fn said(bytes: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.fmu");
    std::fs::write(&path, bytes).expect("written");
    let list = match Fmu::open(&path) {
        Ok(fmu) => match fmu.role(None).and_then(|role| load(&path, role).map(|_| ())) {
            Ok(()) => Vec::new(),
            Err(d) => vec![d],
        },
        Err(list) => list,
    };
    let word =
        |d: &Diagnostic| format!("{} {}", d.code, d.message.replace(&path.display().to_string(), "m.fmu"));
    list.iter().map(word).collect()
}

#[track_caller]
fn expect(bytes: &[u8], expected: &str) {
    let said = said(bytes).join("\n");
    assert!(said.contains(expected), "expected: {expected}\nsaid: {said}");
}

/// An archive with this description and nothing else.
fn described(text: &str) -> Vec<u8> {
    archive(&[("modelDescription.xml", text.as_bytes())])
}

/// A good description with something replaced.
#[track_caller]
fn with(good: &str, old: &str, new: &str) -> Vec<u8> {
    assert!(good.contains(old), "{old}");
    described(&good.replacen(old, new, 1))
}

#[test]
fn files_that_are_no_archives() {
    expect(b"", "K0720 m.fmu cannot be read as an FMU: it is no zip archive");
    expect(b"not a zip", "K0720 m.fmu cannot be read as an FMU");
    let whole = described(GOOD);
    expect(&whole[..whole.len() / 2], "K0720 m.fmu cannot be read as an FMU");
    expect(&whole[whole.len() / 2..], "K0720");
    let mut flipped = whole.clone();
    let at = flipped.windows(4).position(|w| w == b"deri").unwrap_or(120);
    flipped[at] ^= 0xff;
    expect(&flipped, "K0720 m.fmu: modelDescription.xml");
    let folder = tempfile::tempdir().expect("a folder");
    let list = Fmu::open(folder.path()).expect_err("a folder is no FMU");
    assert!(list[0].message.ends_with("cannot be read as an FMU: it is a folder"), "{}", list[0].message);
    let list = Fmu::open(Path::new("/nowhere/m.fmu")).expect_err("there is none");
    assert_eq!(list[0].code, "K0720");
}

#[test]
fn names_that_lead_out_of_the_archive() {
    for name in
        ["../evil", "resources/../../evil", "/etc/evil", "C:/evil", "resources\\..\\evil", "./evil", "a//b"]
    {
        // Two of these names are made relative by the writer of this test; they are put in by hand.
        let mut bytes =
            archive(&[("modelDescription.xml", GOOD.as_bytes()), (&"N".repeat(name.len()), b"x")]);
        let placeholder = "N".repeat(name.len()).into_bytes();
        while let Some(at) = bytes.windows(placeholder.len()).position(|w| w == placeholder) {
            bytes[at..at + name.len()].copy_from_slice(name.as_bytes());
        }
        expect(&bytes, "K0721 m.fmu: the archive has a file");
    }
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.add_symlink("resources/link", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    expect(&zip.finish().expect("an archive").into_inner(), "K0721 m.fmu: the archive has a link");
}

#[test]
fn bombs() {
    let zeros = vec![0_u8; 80 << 20];
    expect(
        &archive(&[("modelDescription.xml", GOOD.as_bytes()), ("resources/zeros", &zeros)]),
        "K0722 m.fmu: the archive of",
    );
    // What says that it is short and is not: the size is the last one of the central directory's entry that is changed here.
    let mut lies = archive(&[("modelDescription.xml", GOOD.as_bytes())]);
    let size = (GOOD.len() as u32).to_le_bytes();
    for at in 0..lies.len() - 4 {
        if lies[at..at + 4] == size {
            lies[at..at + 4].copy_from_slice(&10_u32.to_le_bytes());
        }
    }
    expect(&lies, "K0720 m.fmu: modelDescription.xml");
}

#[test]
fn descriptions_that_are_none() {
    expect(
        &archive(&[("resources/x", b"")]),
        "K0723 m.fmu: the archive has no modelDescription.xml at its top",
    );
    let nested = archive(&[("M/modelDescription.xml", GOOD.as_bytes())]);
    expect(&nested, "K0723");
    expect(
        &archive(&[("modelDescription.xml", b"\xff\xfe<")]),
        "K0723 m.fmu: modelDescription.xml is not in UTF-8",
    );
    expect(&described(""), "K0723 m.fmu: modelDescription.xml is not well-formed XML");
    expect(&described("<a><b></a>"), "K0723");
    let entities = format!("<!DOCTYPE x [<!ENTITY a \"aaaa\">]>{}", &GOOD[39..]);
    expect(&described(&entities), "K0723 m.fmu: modelDescription.xml is not well-formed XML");
    expect(&described("<html/>"), "K0724 m.fmu: the root of modelDescription.xml is html");
}

#[test]
fn versions_and_uses() {
    expect(&with(GOOD2, "\"2.0\"", "\"1.0\""), "K0725 m.fmu: the FMU is one of FMI 1.0");
    expect(&with(GOOD, "fmiVersion=\"3.0\" ", ""), "K0724 m.fmu: fmiModelDescription has no fmiVersion");
    expect(
        &with(GOOD, "<ModelExchange modelIdentifier=\"M\"/>", ""),
        "neither for Model Exchange nor for Co-Simulation",
    );
    expect(
        &with(GOOD, "ModelExchange", "ScheduledExecution"),
        "K0726 m.fmu is for Scheduled Execution, not for Model Exchange or Co-Simulation",
    );
    expect(
        &with(GOOD, "ModelExchange modelIdentifier=\"M\"", "ModelExchange"),
        "line 3: ModelExchange has no modelIdentifier",
    );
    expect(&with(GOOD, "modelIdentifier=\"M\"", "modelIdentifier=\"../M\""), "is not a name in C");
    expect(&with(GOOD, "instantiationToken=\"{1}\"", ""), "fmiModelDescription has no instantiationToken");
}

#[test]
fn variables() {
    let wrong = [
        ("name=\"p\" ", "", "Float64 has no name"),
        ("valueReference=\"1\" ", "", "the variable p has no valueReference"),
        ("valueReference=\"1\"", "valueReference=\"-1\"", "valueReference=\"-1\" is not a value reference"),
        ("<Float64 name=\"p\"", "<Float65 name=\"p\"", "Float65 is no type of variables"),
        ("causality=\"parameter\"", "causality=\"param\"", "causality=\"param\" is none of the standard"),
        ("variability=\"fixed\"", "variability=\"often\"", "variability=\"often\" is none of the standard"),
        (
            "initial=\"exact\"",
            "initial=\"maybe\"",
            "initial=\"maybe\" is neither exact, approx nor calculated",
        ),
        ("start=\"1\"/>", "start=\"one\"/>", "start=\"one\" is no value of type Float64"),
        ("start=\"1\"/>", "/>", "the variable p needs a start value"),
        ("name=\"u\"", "name=\"p\"", "the name p is there twice"),
        ("start=\"1 2\"", "start=\"1 2 3\"", "the variable a has 2 elements and 3 start values"),
        (
            "<Dimension valueReference=\"5\"/>",
            "<Dimension valueReference=\"55\"/>",
            "no size has the value reference 55",
        ),
        (
            "<Dimension valueReference=\"5\"/>",
            "<Dimension/>",
            "a Dimension has neither start nor valueReference",
        ),
        ("<Dimension valueReference=\"5\"/>", "<Dimension start=\"99999999999\"/>", "arrays have more than"),
        ("derivative=\"3\"", "derivative=\"33\"", "derivative=\"33\" is the value reference of no variable"),
        (
            "<Output valueReference=\"3\"",
            "<Output valueReference=\"77\"",
            "valueReference=\"77\" is the value reference of no",
        ),
        ("dependencies=\"2 3\"", "dependencies=\"2 x\"", "the dependency x is no variable"),
        (
            "<ContinuousStateDerivative valueReference=\"4\"/>",
            "<ContinuousStateDerivative valueReference=\"3\"/>",
            "x is listed as a derivative",
        ),
        (
            "<ContinuousStateDerivative valueReference=\"4\"/>",
            "<ContinuousStateDerivative/>",
            "ContinuousStateDerivative has no valueReference",
        ),
    ];
    for (old, new, expected) in wrong {
        expect(&with(GOOD, old, new), expected);
        let all = said(&with(GOOD, old, new));
        assert!(
            all.iter().all(|said| said.starts_with("K0724 m.fmu: modelDescription.xml, line ")),
            "{all:?}"
        );
    }
    let without = &GOOD[..GOOD.find("  <ModelVariables>").expect("variables")];
    expect(&described(&format!("{without}</fmiModelDescription>")), "there are no ModelVariables");
    // All that is wrong is said at once.
    let two = GOOD.replacen("start=\"1\"/>", "start=\"one\"/>", 1).replacen(
        "derivative=\"3\"",
        "derivative=\"33\"",
        1,
    );
    assert!(said(&described(&two)).len() >= 2);
}

#[test]
fn variables_of_fmi_2() {
    let wrong = [
        (
            "<Real derivative=\"1\"/>",
            "<Real derivative=\"9\"/>",
            "derivative=\"9\" is the index of no variable: there are 2",
        ),
        ("<Real derivative=\"1\"/>", "", "the variable der(x) has no type"),
        ("<Unknown index=\"2\"/>", "<Unknown index=\"0\"/>", "index=\"0\" is the index of no variable"),
        ("<Unknown index=\"1\"/>", "<Unknown/>", "Unknown has no index"),
        ("<Real start=\"1\"/>", "<Real start=\"1\" declaredType=\"T\"/>", "there is no type T"),
        (
            "numberOfEventIndicators=\"0\"",
            "numberOfEventIndicators=\"-1\"",
            "numberOfEventIndicators=\"-1\" is not a number",
        ),
        (
            "numberOfEventIndicators=\"0\"",
            "numberOfEventIndicators=\"99999999999\"",
            "there cannot be 99999999999 event",
        ),
    ];
    for (old, new, expected) in wrong {
        expect(&with(GOOD2, old, new), expected);
    }
    let doubled = with(
        GOOD2,
        "<CoSimulation modelIdentifier=\"M\"/>",
        "<CoSimulation modelIdentifier=\"M\" needsExecutionTool=\"perhaps\"/>",
    );
    expect(&doubled, "needsExecutionTool=\"perhaps\" is neither true nor false");
}

#[test]
fn libraries() {
    expect(&described(GOOD), "K0727 m.fmu has no binaries/");
    let Some(here) = Platform::here() else { return };
    let elsewhere = archive(&[
        ("modelDescription.xml", GOOD.as_bytes()),
        ("binaries/sparc-solaris/M.so", b"x"),
        ("sources/M.c", b"int x;"),
    ]);
    expect(&elsewhere, "K0727");
    let name = format!("binaries/{}/M{}", here.three, here.ending);
    let text = archive(&[("modelDescription.xml", GOOD.as_bytes()), (&name, b"this is no library")]);
    expect(&text, &format!("K0728 the library {name} of m.fmu cannot be loaded"));
    if !kausal_fmi_has_compiler() {
        eprintln!("skipped: there is no C compiler");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (source, object) = (folder.path().join("m.c"), folder.path().join("m.so"));
    let functions =
        "void *fmi3InstantiateModelExchange(void) { return 0; } int fmi3SetTime(void) { return 0; }";
    std::fs::write(&source, functions).expect("written");
    let compiled = std::process::Command::new("cc")
        .arg("-shared")
        .arg("-fPIC")
        .arg("-o")
        .arg(&object)
        .arg(&source)
        .status();
    assert!(compiled.expect("a compiler").success());
    let bytes = std::fs::read(&object).expect("compiled");
    let lacking = archive(&[("modelDescription.xml", GOOD.as_bytes()), (&name, &bytes)]);
    expect(
        &lacking,
        &format!("K0729 the library {name} of m.fmu lacks fmi3FreeInstance, fmi3EnterInitializationMode"),
    );
    assert!(!said(&lacking)[0].contains("fmi3SetTime"));
}

fn kausal_fmi_has_compiler() -> bool {
    std::process::Command::new("cc").arg("--version").output().is_ok()
}

#[test]
fn good_ones_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, role, states) in [(GOOD, Role::ModelExchange, 1), (GOOD2, Role::CoSimulation, 1)] {
        let path = folder.path().join("m.fmu");
        std::fs::write(&path, described(text)).expect("written");
        let fmu = Fmu::open(&path).expect("a good one");
        assert_eq!(fmu.role(None).expect("a use"), role);
        assert_eq!(fmu.interface.states.len(), states);
    }
}

/// An output that is an event indicator as well is an output, and other names of variables are variables.
#[test]
fn indicators_and_aliases_are_variables() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("m.fmu");
    let text = GOOD
        .replace(
            r#"initial="exact" start="2"/>"#,
            r#"initial="exact" start="2"><Alias name="x_ft" displayUnit="ft"/></Float64>
    <Float64 name="z" valueReference="7"/>"#,
        )
        .replace(
            "</ModelStructure>",
            r#"<EventIndicator valueReference="3"/><EventIndicator valueReference="7"/></ModelStructure>"#,
        );
    std::fs::write(&path, described(&text)).expect("written");
    let fmu = Fmu::open(&path).expect("a good one");
    assert_eq!(fmu.interface.indicators, 2);
    let block = block::write(&fmu, Role::ModelExchange, true).text;
    assert!(block.contains("output Real x(") && block.contains("Real x_ft"), "{block}");
    // What is nothing but an indicator is for whoever integrates.
    assert!(!block.contains("\n  Real z"), "{block}");
}
