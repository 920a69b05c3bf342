//! Inputs that are almost right, and what reads them: shared by the test and by `bench/fuzz`.
//!
//! An input is made from a number alone, so that it can be made again: one of our own models or files, changed in a few places.
//! Models are changed by tokens, so that most of them still parse; files by bytes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use kausal::result::{Signal, Trajectory, Values};
use kausal::{
    Backend, Commands, CompiledModel, FlatModel, Options, Permissions, Program, RunFiles, Session, Settings,
    store,
};
use kausal_external::StandardExternals;
use kausal_fmi::description::{Description, Kinds};
use kausal_fmi::import::interface::Role;
use kausal_fmi::import::{Fmu, block};
use kausal_symbolic::function::{ExternalArg, ExternalBody, ExternalCall, Externals, Value};

/// What reads inputs.
pub const TARGETS: [&str; 12] = [
    "modelica",
    "classic",
    "model",
    "csv",
    "mat",
    "parquet",
    "table",
    "table-mat",
    "commands",
    "stored",
    "fmu",
    "description",
];

/// Numbers from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Below a bound.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound.max(1)
    }

    fn one<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// What inputs are made of.
pub struct Seeds {
    models: Vec<String>,
    classic: Vec<String>,
}

impl Seeds {
    /// The models of this repository.
    pub fn new() -> Seeds {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let (mut models, mut classic) = (Vec::new(), Vec::new());
        let mut folders = vec![root.join("library"), root.join("examples")];
        while let Some(folder) = folders.pop() {
            let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
            paths.sort();
            for path in paths {
                match path.extension().and_then(|e| e.to_str()) {
                    _ if path.is_dir() => folders.push(path),
                    Some("mo") => models.push(std::fs::read_to_string(path).unwrap()),
                    Some("dym") => classic.push(std::fs::read_to_string(path).unwrap()),
                    _ => {}
                }
            }
        }
        // Long ones take long; what they have short ones have, too.
        models.retain(|text| text.len() < 20_000);
        models.extend(SMALL.iter().map(|text| (*text).to_owned()));
        Seeds { models, classic }
    }
}

/// What the library has little of.
const SMALL: [&str; 10] = [
    "model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;",
    "model M parameter Integer n = 3; Real x[n](each start = 1); equation for i in 1:n loop der(x[i]) = -i*x[i]; end for; end M;",
    "model M function f input Real u[:]; output Real y[size(u, 1)]; algorithm for i in 1:size(u, 1) loop y[i] := u[i]^2; end for; end f; Real z = sum(f({time, 1, 2})); end M;",
    "model M type E = enumeration(a, b); parameter E e = E.a; Real x = if e == E.a then time else 0; end M;",
    "model M discrete Integer k(start = 0); Boolean b; equation b = time > 0.5; when {b, sample(0, 0.1)} then k = pre(k) + 1; end when; end M;",
    "model M record R Real a; Real b[2]; end R; R r(a = time, b = {1, 2}); Real x = r.a*r.b[1]; end M;",
    "model M connector C Real v; flow Real i; end C; model D C c; equation c.v = 2*c.i + time; end D; D a, b; equation connect(a.c, b.c); end M;",
    "model M parameter String s = \"a\" + String(1.5, significantDigits = 3); Real x = time; equation assert(x < 2, s); end M;",
    "model M Real x; Real y; equation x + y = time; x*y + 1 = 2*x; end M;",
    "model M replaceable model A Real x = time; end A; A a; end M;",
];

/// Words that lead to the far ends of things.
const WORDS: [&str; 60] = [
    "0",
    "1",
    "-1",
    "2147483647",
    "9223372036854775807",
    "1e308",
    "1e-308",
    "1e999",
    "1000000",
    ":",
    "end",
    "time",
    "der",
    "pre",
    "if",
    "then",
    "else",
    "for",
    "loop",
    "when",
    "initial()",
    "fill",
    "zeros",
    "size",
    "sum",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "=",
    ":=",
    "+",
    "-",
    "*",
    "/",
    "^",
    ".",
    ".*",
    "and",
    "not",
    "<",
    "==",
    "Real",
    "Integer",
    "String",
    "Boolean",
    "parameter",
    "constant",
    "each",
    "final",
    "redeclare",
    "extends",
    "\"",
    "'",
    "annotation",
    "connect",
];

/// Words, numbers and marks, and what is between them.
fn tokens(text: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' => 0,
        c if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut out = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (i, c) in text.char_indices() {
        if last.is_some_and(|k| k == 2 || k != kind(c)) {
            out.push(&text[start..i]);
            start = i;
        }
        last = Some(kind(c));
    }
    out.push(&text[start..]);
    out
}

/// One of the texts, changed by tokens.
fn text(random: &mut Random, seeds: &[String]) -> String {
    let seed = random.below(seeds.len());
    let mut list = tokens(&seeds[seed]);
    for _ in 0..1 + random.below(4) {
        let (at, length) = (random.below(list.len()), 1 + random.below(12));
        let end = (at + length).min(list.len());
        match random.below(7) {
            0 => drop(list.drain(at..end)),
            1 => {
                let part = list[at..end].to_vec();
                let times = if random.below(20) == 0 { 500 } else { 1 };
                (0..times).for_each(|_| drop(list.splice(at..at, part.iter().copied())));
            }
            2 => {
                let other = random.below(list.len());
                list.swap(at, other);
            }
            3 => list[at] = *random.one(&WORDS),
            4 => list.insert(at, *random.one(&WORDS)),
            5 => {
                let other = random.below(seeds.len());
                let other = tokens(&seeds[other]);
                let from = random.below(other.len());
                let to = (from + length).min(other.len());
                list.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let other = random.below(list.len());
                let word = list[other];
                list[at] = word;
            }
        }
        if list.is_empty() {
            list.push("model");
        }
    }
    list.concat()
}

/// Bytes, changed.
fn bytes(random: &mut Random, mut data: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + random.below(6) {
        if data.is_empty() {
            break;
        }
        let at = random.below(data.len());
        let end = (at + 1 + random.below(16)).min(data.len());
        match random.below(6) {
            0 => data[at] ^= 1 << random.below(8),
            1 => data[at] = *random.one(&[0, 1, 0x7f, 0x80, 0xff]),
            2 => drop(data.drain(at..end)),
            3 => {
                let part = data[at..end].to_vec();
                data.splice(at..at, part);
            }
            4 => data.truncate(at),
            _ => {
                let number = random.next().to_le_bytes();
                data[at..end].iter_mut().zip(number).for_each(|(byte, other)| *byte = other);
            }
        }
    }
    data
}

/// A result of two signals and a parameter.
fn result(random: &mut Random) -> Trajectory {
    let signal = |name: &str, values| Signal {
        name: name.into(),
        unit: "m".into(),
        description: "a signal".into(),
        values,
    };
    let rows = random.below(40);
    Trajectory {
        time: (0..rows).map(|i| i as f64).collect(),
        signals: vec![
            signal("x", Values::Column(0, false)),
            signal("minus", Values::Column(0, true)),
            signal("p", Values::Constant(2.5)),
        ],
        columns: vec![(0..rows).map(|i| 1.0 / (i as f64 + 1.0)).collect()],
    }
}

/// The input with this number for this target.
pub fn input(target: &str, number: u64, seeds: &Seeds, folder: &Path) -> Vec<u8> {
    let mut random = Random::new(number);
    random.next();
    let written = |random: &mut Random, name: &str| {
        let path = folder.join(name);
        store::write(&result(random), &path).unwrap();
        std::fs::read(&path).unwrap()
    };
    match target {
        "modelica" | "model" => text(&mut random, &seeds.models).into_bytes(),
        "classic" => text(&mut random, &seeds.classic).into_bytes(),
        "csv" | "mat" | "parquet" => {
            let data = written(&mut random, &format!("seed.{target}"));
            bytes(&mut random, data)
        }
        "table" => {
            bytes(&mut random, b"#1\ndouble a(2,3) # rows\n1 2 3\n4, 5; 6e-1\nfloat b(1,1)\n7\n".to_vec())
        }
        "table-mat" => {
            let format = *random.one(&["4", "6", "7"]);
            let data = table_mat(folder, format);
            bytes(&mut random, data)
        }
        "commands" => {
            let seed =
                "variable tear x r\nvariable unknown y\nset tear on\nset inline off\n# words\n".to_owned();
            text(&mut random, &[seed]).into_bytes()
        }
        "stored" => {
            let data = stored(random.one::<&str>(&SMALL));
            let mut data = bytes(&mut random, data);
            // A wrong checksum ends everything.
            if random.below(8) > 0 {
                kausal_translate::stored::seal(&mut data);
            }
            data
        }
        "fmu" => {
            let data = archive(&description(&mut random));
            bytes(&mut random, data)
        }
        "description" => {
            let seed = description(&mut random);
            archive(&text(&mut random, &[seed]))
        }
        _ => panic!("{target}"),
    }
}

/// A model with everything that is made of it.
fn parts(text: &str) -> (Session, FlatModel, Program) {
    let mut session = Session::new();
    let name = session.add_text("M.mo", text).pop().expect("a class");
    let flat = session.flatten(&name).expect("a correct model");
    let program = session.translate(&flat, &Options::default()).expect("a regular model");
    (session, flat, program)
}

/// A stored model.
fn stored(text: &str) -> Vec<u8> {
    let (session, flat, program) = parts(text);
    kausal_translate::stored::write(&program, &flat, &Options::default(), session.sources()).expect("stored")
}

/// The description of a model as an FMU, in one of the versions.
fn description(random: &mut Random) -> String {
    let (mut session, flat, program) = parts(random.one::<&str>(&SMALL));
    let model = Arc::new(session.compile(program, Backend::Interpreter).expect("code"));
    let kinds = Kinds { model_exchange: random.below(2) == 0, co_simulation: true };
    let description = Description::new(&flat, &model, "{0}".to_owned(), kinds);
    match random.below(2) {
        0 => kausal_fmi::fmi2::write(&description),
        _ => kausal_fmi::fmi3::write(&description),
    }
}

/// An FMU with this description; nobody loads its library.
fn archive(description: &str) -> Vec<u8> {
    let file = |name: &str, text: &str| (name.to_owned(), text.as_bytes().to_vec());
    let mut files = vec![file("modelDescription.xml", description)];
    for name in ["linux64/M.so", "x86_64-linux/M.so", "win64/M.dll", "x86_64-windows/M.dll"] {
        files.push(file(&format!("binaries/{name}"), "a library"));
    }
    kausal_fmi::export::packed("M", &files).expect("an archive")
}

/// Calls a function of the standard library.
fn call(name: &str, args: Vec<ExternalArg>, permissions: Permissions) -> Option<Vec<Value<f64>>> {
    let body = ExternalBody {
        language: "C".to_owned(),
        name: name.to_owned(),
        result: None,
        args: Vec::new(),
        annotations: Vec::new(),
        view: Default::default(),
    };
    let options = kausal_external::Options { permissions, ..Default::default() };
    let call = ExternalCall { function: "f", body: &body, args: &args, constructs: None, apart: None };
    StandardExternals::new(options).call(&call).ok()
}

fn given(value: Value<f64>) -> ExternalArg {
    ExternalArg { value, written: false }
}

fn taken(value: Value<f64>) -> ExternalArg {
    ExternalArg { value, written: true }
}

/// A MAT file as models write them.
fn table_mat(folder: &Path, format: &str) -> Vec<u8> {
    let path = folder.join(format!("seed-{format}.mat"));
    let run = RunFiles { folder: Some(folder.join("files")), outputs: Vec::new() };
    let matrix = kausal_symbolic::function::Array::from_vec(&[2, 2], vec![1.0, 2.0, 3.0, 4.0]).unwrap();
    let args = vec![
        given(Value::text(path.to_str().unwrap())),
        given(Value::text("a")),
        given(Value::from(matrix)),
        given(Value::Scalar(2.0)),
        given(Value::Scalar(2.0)),
        given(Value::Scalar(0.0)),
        given(Value::text(format)),
    ];
    call("ModelicaIO_writeRealMatrix", args, Permissions::everything().for_run(&run));
    std::fs::read(&path).unwrap_or_default()
}

/// Reads an input. Whatever it is, this ends, and without a panic.
pub fn read(target: &str, data: &[u8], folder: &Path) {
    let as_text = || String::from_utf8_lossy(data).into_owned();
    let file = |name: &str| {
        let path = folder.join(name);
        std::fs::write(&path, data).unwrap();
        path
    };
    match target {
        "modelica" => parse("x.mo", &as_text()),
        "classic" => parse("x.dym", &as_text()),
        "model" => model(&as_text()),
        "csv" | "mat" | "parquet" => {
            let path = file(&format!("read.{target}"));
            if let Ok((trajectory, _)) = store::read_noting(&path) {
                assert!(trajectory.columns.iter().all(|c| c.len() == trajectory.time.len()));
                store::recover(&path).unwrap();
                assert_eq!(store::read(&path).unwrap().time.len(), trajectory.time.len());
            }
        }
        "table" | "table-mat" => {
            let path = file("read.txt");
            let args = vec![
                given(Value::text(path.to_str().unwrap())),
                given(Value::text("a")),
                taken(Value::vector(vec![0.0, 0.0])),
            ];
            call("ModelicaIO_readMatrixSizes", args, Permissions::everything());
        }
        "commands" => drop(Commands::parse(&as_text())),
        "stored" => {
            let path = file("read.kausal");
            let mut session = Session::new();
            session.open_stored(&path);
            session.stored_flat(&path);
            let program = session.take_stored().map(|(_, program)| program);
            let compiled = program.and_then(|program| session.compile(program, Backend::Interpreter));
            short_run(compiled);
            session.take_diagnostics();
        }
        "fmu" | "description" => fmu(&file("read.fmu")),
        _ => panic!("{target}"),
    }
}

fn parse(name: &str, text: &str) {
    let mut session = Session::new();
    session.add_text(name, text);
    let diagnostics = session.take_diagnostics();
    kausal::render::text(&diagnostics[..diagnostics.len().min(20)], session.sources(), false);
}

/// From text to a short run.
fn model(text: &str) {
    let mut session = Session::new();
    let names = session.add_text("x.mo", text);
    let Some(name) = names.last() else { return };
    let flat = session.flatten(name);
    let program = flat.and_then(|flat| session.translate(&flat, &Options::default()));
    let compiled = program.and_then(|program| session.compile(program, Backend::Interpreter));
    short_run(compiled);
    let diagnostics = session.take_diagnostics();
    kausal::render::text(&diagnostics[..diagnostics.len().min(20)], session.sources(), false);
}

fn short_run(compiled: Option<CompiledModel>) {
    let Some(compiled) = compiled else { return };
    let settings = Settings { stop: 0.01, interval: 0.005, ..Settings::default() };
    let limit = Some(Duration::from_secs(1));
    kausal::simulate::run(Arc::new(compiled), &settings, &|_| true, limit, &mut |_| true);
}

/// Whatever an FMU says about itself, the block that is written for it is Modelica.
fn fmu(path: &Path) {
    let Ok(fmu) = Fmu::open(path) else { return };
    for role in [Role::ModelExchange, Role::CoSimulation] {
        let Ok(role) = fmu.role(Some(role)) else { continue };
        let block = block::write(&fmu, role, true);
        let mut session = Session::new();
        let names = session.add_text("block.mo", &block.text);
        let said = session.take_diagnostics();
        assert!(said.is_empty() && names.len() == 1, "{said:?}\n{}", block.text);
    }
}
