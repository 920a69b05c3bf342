//! Stored models: what was written comes back, and what was not written is refused.

mod support;

use kausal_model::{NoFiles, Workspace};
use kausal_syntax::Sources;
use kausal_translate::stored::{self, FORMAT, MAGIC, StoredError};
use kausal_translate::{Inline, Options, translate};

/// A model with functions, strings, events, loops, enumerations and records of what was.
const MODEL: &str = r#"
model M "of everything a little"
  type Level = enumeration(low, high);
  function f input Real x; input Real v[3]; output Real y; output Real z;
  protected Real s;
  algorithm
    s := 0;
    for i in 1:3 loop
      if v[i] > x then s := s + v[i]; elseif x > 10 then break; else s := s - 1; end if;
    end for;
    while s > 100 loop s := s/2; end while;
    y := s + x; z := sum(v)*x;
  annotation(Inline = false); end f;
  parameter Real k = 2; parameter Real m = 3*k; parameter String name = "M";
  Real x(start = 1, fixed = true); Real y(start = 0.5); Real a, b, c, d;
  Real p, q; discrete Real n(start = 0, fixed = true); Level level;
  Real late = delay(x, 0.1);
equation
  der(x) = -y + n;
  y + exp(y) = x;
  a + b = x; b + 2*c = 1; c + d = m; a - 3*d = time;
  (p, q) = f(x, {a, b, c});
  level = if x > 0.5 then Level.high else Level.low;
  when sample(0, 0.1) then n = pre(n) + 1; end when;
  when x < 0.25 then reinit(x, 1); end when;
  assert(x < 1e6, "x of " + name + " is too large: " + String(x));
initial equation
  y = 0.4;
end M;
"#;

/// The model as bytes.
fn bytes_of(text: &str, options: &Options) -> Vec<u8> {
    let mut workspace = Workspace::new(Box::new(NoFiles));
    let (names, said) = workspace.add_source("M.mo", text);
    let flat = workspace.flatten(names.last().expect("a class"));
    let flat = flat.0.unwrap_or_else(|| panic!("not flat: {said:?} {:?}", flat.1));
    let translation = translate(&flat, options);
    let program = translation.program.unwrap_or_else(|| panic!("no program: {:?}", translation.diagnostics));
    stored::write(&program, &flat, options, workspace.sources()).expect("bytes")
}

/// Read, and written again.
fn again(bytes: &[u8]) -> Vec<u8> {
    let read = stored::read(bytes).unwrap_or_else(|error| panic!("{error}"));
    let flat = read.rest.flat().unwrap_or_else(|error| panic!("{error}"));
    let sources = read.rest.sources().unwrap_or_else(|error| panic!("{error}"));
    stored::write(&read.program, &flat, &read.options, &sources).expect("bytes")
}

#[test]
fn what_was_written_comes_back() {
    for inline in [Inline::Off, Inline::Bdf, Inline::Radau] {
        let bytes = bytes_of(MODEL, &Options { inline, ..Options::default() });
        assert!(again(&bytes) == bytes, "{inline:?}");
        assert_eq!(stored::read(&bytes).expect("a model").options.inline, inline);
    }
}

#[test]
fn examples_come_back() {
    let mut count = 0;
    for name in support::examples() {
        let Some((flat, sources)) = support::example_with_sources(&name) else { continue };
        let Some(program) = translate(&flat, &Options::default()).program else { continue };
        let bytes = stored::write(&program, &flat, &Options::default(), &sources).expect("bytes");
        assert!(again(&bytes) == bytes, "{name}");
        count += 1;
    }
    assert!(count > 30, "{count} examples");
}

#[test]
fn lines_of_the_sources_are_shown() {
    let bytes = bytes_of(MODEL, &Options::default());
    let read = stored::read(&bytes).expect("a model");
    let sources = read.rest.sources().expect("sources");
    let locations = read.program.equations.iter().filter_map(|e| e.origin.location);
    let mut seen = 0;
    for l in locations {
        let source = sources.get(l.source);
        assert_eq!(source.name, "M.mo");
        let (start, end) = (l.span.start as usize, l.span.end as usize);
        assert_eq!(source.text[start..end], MODEL[start..end]);
        assert_eq!(
            sources.line_column(l.source, l.span.start),
            kausal_syntax::source::line_column(MODEL, l.span.start)
        );
        seen += 1;
    }
    assert!(seen > 8);
}

#[test]
fn other_files_are_told_from_broken_ones() {
    let refused = |bytes: &[u8]| stored::read(bytes).expect_err("refused");
    assert_eq!(refused(b""), StoredError::Foreign);
    assert_eq!(refused(b"model M end M;"), StoredError::Foreign);
    assert_eq!(refused(&MAGIC[..4]), StoredError::Truncated);
    let bytes = bytes_of(MODEL, &Options::default());
    for len in [MAGIC.len(), MAGIC.len() + 3, 20, 40, bytes.len() / 2, bytes.len() - 1] {
        assert_eq!(refused(&bytes[..len]), StoredError::Truncated, "{len}");
    }
    let mut newer = bytes.clone();
    newer[MAGIC.len()] += 1;
    assert_eq!(refused(&newer), StoredError::Format(FORMAT + 1));
    assert!(refused(&newer).to_string().contains("newer"));
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(refused(&longer), StoredError::Damaged);
    // Lengths that no memory has.
    let mut huge = bytes;
    huge[MAGIC.len() + 8..MAGIC.len() + 16].fill(0xff);
    stored::seal(&mut huge);
    assert!(matches!(refused(&huge), StoredError::Truncated | StoredError::Damaged));
}

/// Numbers from a seed: xorshift64*.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

/// A flipped bit is found by the checksum.
#[test]
fn flipped_bits_are_found() {
    let bytes = bytes_of(MODEL, &Options::default());
    let mut random = Random(1);
    for _ in 0..2000 {
        let mut broken = bytes.clone();
        let at = random.below(broken.len());
        broken[at] ^= 1 << random.below(8);
        assert!(stored::read(&broken).is_err(), "byte {at}");
    }
}

/// With a checksum that is right again, whatever comes is refused or is a program that verifies: nothing panics, nothing takes
/// memory without end.
#[test]
fn forged_files_are_refused_or_correct() {
    let mut random = Random(2);
    let (mut refused, mut correct) = (0, 0);
    for inline in [Inline::Off, Inline::Bdf] {
        let bytes = bytes_of(MODEL, &Options { inline, ..Options::default() });
        for _ in 0..4000 {
            let mut broken = bytes.clone();
            for _ in 0..=random.below(3) {
                let at = 16 + random.below(broken.len() - 16);
                broken[at] = random.below(256) as u8;
            }
            if random.below(8) == 0 {
                broken.truncate(16 + random.below(broken.len() - 16));
            }
            stored::seal(&mut broken);
            match stored::read(&broken) {
                Ok(read) => {
                    correct += 1;
                    let _ = read.rest.sources();
                    if let Ok(flat) = read.rest.flat() {
                        assert!(flat.variables.len() < 1000);
                    }
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 500 && correct > 100, "{refused} refused, {correct} correct");
}

#[test]
fn steps_inside_steps_have_a_bound() {
    use kausal_symbolic::ExprId;
    use kausal_translate::Program;
    use kausal_translate::program::Step;
    let mut program = Program::default();
    program.pool.boolean(true);
    let mut step = Step::If(ExprId(0), Vec::new(), Vec::new());
    for _ in 0..200 {
        step = Step::If(ExprId(0), vec![step], Vec::new());
    }
    program.outputs.push(step);
    let bytes = stored::encode(&program, &Default::default(), &Options::default(), &Sources::default());
    let error = stored::read(&bytes.expect("bytes")).expect_err("refused");
    assert!(matches!(error, StoredError::Unreadable(_)), "{error}");
}
