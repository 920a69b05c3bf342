//! Runs the text of a kernel on this machine, by its C++ compiler.

use std::path::Path;
use std::process::Command;

use kausal_gpu::{Batch, Engine, Ensemble, Fault, Finished, Kernel, Outcome, Question};
use tempfile::TempDir;

/// Is there a compiler?
pub fn compiler() -> Option<&'static str> {
    let found = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    ["c++", "g++", "clang++"].into_iter().find(found)
}

/// Compiles kernels for this machine.
pub struct Compiler(pub &'static str);

/// A kernel as a program.
struct Program {
    folder: TempDir,
    question: Question,
}

impl Engine for Compiler {
    fn name(&self) -> String {
        "this machine".to_owned()
    }

    fn compile(&self, ensemble: &Ensemble) -> Result<Box<dyn Kernel>, Fault> {
        Ok(Box::new(compiled(self.0, ensemble)))
    }

    fn memory(&self) -> usize {
        1 << 24
    }
}

/// The same text a GPU gets, as a program that looks after its memory.
fn compiled(compiler: &str, ensemble: &Ensemble) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let text = format!("{}{}", ensemble.text, include_str!("main.cpp"));
    std::fs::write(path("kernel.cpp"), text).expect("a file");
    if let Some(kept) = std::env::var_os("KAUSAL_KEEP_KERNEL") {
        std::fs::copy(path("kernel.cpp"), kept).expect("a copy");
    }
    let made = Command::new(compiler)
        .args([
            "-x",
            "c++",
            "-std=c++17",
            "-O1",
            "-ffp-contract=off",
            "-fsanitize=address,undefined",
            "-fno-sanitize-recover",
            "-w",
            "-o",
        ])
        .args([path("kernel"), path("kernel.cpp")])
        .output()
        .expect("the compiler runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Program { folder, question: ensemble.question.clone() }
}

impl Kernel for Program {
    fn run(&self, batch: &Batch) -> Result<Finished, Fault> {
        Ok(ran(self, batch))
    }
}

fn ran(program: &Program, batch: &Batch) -> Finished {
    let path = |name: &str| program.folder.path().join(name);
    let question = &program.question;
    let head = [
        batch.runs as f64,
        question.varied.len() as f64,
        batch.instants.len() as f64,
        batch.grid.len() as f64,
        batch.start,
        batch.stop,
        batch.tolerance,
        batch.longest,
        batch.same,
        f64::from(batch.most),
        question.numbers.len() as f64,
        question.traced.len() as f64,
    ];
    let all = head.iter().chain(&batch.columns).chain(&batch.instants).chain(&batch.grid);
    let bytes: Vec<u8> = all.flat_map(|x| x.to_le_bytes()).collect();
    std::fs::write(path("in"), bytes).expect("a file");
    let ran = Command::new(path("kernel"))
        .args([path("in"), path("out")])
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .output()
        .expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let out = numbers(&path("out"));
    let (runs, asked) = (batch.runs, question.numbers.len());
    let traces = runs * batch.grid.len() * question.traced.len();
    let (numbers, rest) = out.split_at(asked * runs);
    let (traces, rest) = rest.split_at(traces);
    let (ends, pairs) = rest.split_at(runs);
    Finished {
        numbers: numbers.to_vec(),
        traces: traces.to_vec(),
        ends: ends.to_vec(),
        outcomes: pairs.chunks(2).map(|pair| Outcome::of(pair[0] as i32)).collect(),
        steps: pairs.chunks(2).map(|pair| pair[1] as u32).collect(),
        seconds: 0.0,
    }
}

fn numbers(path: &Path) -> Vec<f64> {
    let bytes = std::fs::read(path).expect("a file");
    bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight bytes"))).collect()
}
