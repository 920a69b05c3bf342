//! External C code of models (specification section 12.9): compiled, loaded and called only where that is allowed.
//!
//! Models without C code of their own would not show much, so these need a C compiler; without one they say that they
//! are skipped.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kausal::{Backend, Diagnostic, Options, Session, Settings, Trajectory};

struct Outcome {
    trajectory: Trajectory,
    diagnostics: Vec<Diagnostic>,
}

impl Outcome {
    fn end(&self, name: &str) -> f64 {
        let values = self.trajectory.get(name);
        let values = values.unwrap_or_else(|| panic!("no {name}: {:?}", self.texts()));
        *values.last().expect("there are records")
    }

    fn codes(&self) -> Vec<&str> {
        self.diagnostics.iter().map(|d| d.code).collect()
    }

    fn texts(&self) -> Vec<String> {
        self.diagnostics.iter().map(|d| format!("{}: {}", d.code, d.message)).collect()
    }
}

fn compiler() -> bool {
    let there = kausal_external::foreign::has_compiler();
    if !there {
        eprintln!("skipped: there is no C compiler");
    }
    there
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign")
}

/// Runs the class `M` of a text, or another one of a library.
fn run(text: &str, model: &str, allowed: bool) -> Outcome {
    let mut session = Session::new();
    if allowed {
        session.allow_external();
    }
    session.add_library(&folder());
    if !text.is_empty() {
        session.add_text("M.mo", text);
    }
    let compiled = session
        .flatten(model)
        .and_then(|flat| session.translate(&flat, &Options::default()))
        .and_then(|program| session.compile(program, Backend::Jit));
    let mut diagnostics = session.take_diagnostics();
    let Some(compiled) = compiled else {
        return Outcome { trajectory: Trajectory::default(), diagnostics };
    };
    let settings = Settings { stop: 1.0, interval: 0.1, tolerance: 1e-8, ..Settings::default() };
    let run = kausal::simulate::run(Arc::new(compiled), &settings, &|_| true, None, &mut |_| true);
    diagnostics.extend(run.diagnostics);
    Outcome { trajectory: run.trajectory, diagnostics }
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-6 * (1.0 + expected.abs()), "{value} instead of {expected}");
}

const DECAY: &str = r#"
model M
  function twice
    input Real x;
    output Real y;
  external "C" y = test_twice(x) annotation(Include = "static double test_twice(double x) { return 2*x; }");
  end twice;
  Real x(start = 1, fixed = true);
equation
  der(x) = -twice(x);
end M;
"#;

#[test]
fn not_without_permission() {
    let outcome = run(DECAY, "M", false);
    assert_eq!(outcome.codes(), ["K0540"], "{:?}", outcome.texts());
    let d = &outcome.diagnostics[0];
    assert!(d.message.contains("M.twice") && d.message.contains("test_twice"), "{}", d.message);
    assert!(d.help.as_ref().is_some_and(|help| help.contains("--allow-external")), "{:?}", d.help);
    assert_eq!(d.labels.len(), 1);
}

#[test]
fn sizes_do_not_run_foreign_code_without_permission() {
    let text =
        DECAY.replace("Real x(start = 1, fixed = true);", "Real x[integer(twice(1.0))](each start = 1);");
    let text = text.replace("der(x) = -twice(x)", "der(x) = -x");
    let outcome = run(&text, "M", false);
    assert!(outcome.trajectory.time.is_empty());
    assert!(outcome.texts().iter().any(|t| t.contains("--allow-external")), "{:?}", outcome.texts());
}

#[test]
fn code_in_the_annotation() {
    if !compiler() {
        return;
    }
    let outcome = run(DECAY, "M", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    // The solution is exp(-2 t).
    close(outcome.end("x"), (-2.0f64).exp());
}

#[test]
fn headers_sources_and_sizes() {
    if !compiler() {
        return;
    }
    let outcome = run("", "Outside.Test", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    close(outcome.end("x"), (-2.0f64).exp());
    // 1 + 2 + 3 + 4, found while flattening: the number of elements of v.
    close(outcome.end("v[10]"), 10.0 * (-1.0f64).exp());
}

#[test]
fn all_kinds_of_arguments() {
    if !compiler() {
        return;
    }
    let text = r##"
package P
  type Colour = enumeration(red, green, blue);
  record Inner
    Integer b;
    Real z;
  end Inner;
  record R
    Real x;
    Inner a1, a2;
    Boolean yes;
  end R;
  function scalars
    input Real r;
    input Integer i;
    input Boolean b;
    input Colour c;
    input String s;
    output Real y;
    output Integer n;
    output Boolean no;
    output Colour next;
    output String text;
  external "C" scalars(r, i, b, c, s, y, n, no, next, text, 7, 2.5, "lit") annotation(Include = "
    #include \"ModelicaUtilities.h\"
    #include <string.h>
    static void scalars(double r, int i, int b, int c, const char *s, double *y, int *n, int *no, int *next,
                        const char **text, int seven, double real, const char *lit)
    {
      char *joined = ModelicaAllocateString(strlen(s) + strlen(lit));
      strcpy(joined, s);
      strcat(joined, lit);
      *y = r + real;
      *n = i*seven;
      *no = b ? 0 : 42;
      *next = c + 1;
      *text = joined;
    }");
  end scalars;
  function arrays
    input Real a[:, :];
    input Integer k[:];
    output Real t[size(a, 2), size(a, 1)];
    output Integer doubled[size(k, 1)];
  protected
    Real work[size(k, 1)];
  external "C" arrays(a, size(a, 1), size(a, 2), k, size(k, 1), t, doubled, work) annotation(Include = "
    #include <stddef.h>
    static void arrays(const double *a, size_t n, size_t m, const int *k, size_t count, double *t, int *doubled,
                       double *work)
    {
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++)
          t[j*n + i] = a[i*m + j];
      for (size_t i = 0; i < count; i++) {
        work[i] = 2*k[i];
        doubled[i] = (int)work[i];
      }
    }");
  end arrays;
  function test_default "Default call: the array, then its sizes; several outputs are pointers"
    input Real a[:, :];
    output Real sum;
    output Integer count;
  external;
  end test_default;
  function test_length "One output: it is returned"
    input String s;
    output Integer n;
  external annotation(Include = "
    #include <string.h>
    #define test_length(s) ((int)strlen(s))");
  end test_length;
  function record_in
    input R r;
    output Real y;
  external "C" y = record_in(r) annotation(Include = "
    struct Inner { int b; double z; };
    struct R { double x; struct Inner a1, a2; int yes; };
    static double record_in(const struct R *r) { return r->yes ? r->x + 10*r->a1.b + 100*r->a2.z : -1; }");
  end record_in;
  function record_out
    input Real x;
    output R r;
  external "C" record_out(x, r) annotation(Include = "
    struct Inner2 { int b; double z; };
    struct R2 { double x; struct Inner2 a1, a2; int yes; };
    static void record_out(double x, struct R2 *r)
    {
      struct R2 made = {x, {1, 2*x}, {3, 4*x}, x > 0};
      *r = made;
    }");
  end record_out;
  function record_returned
    input Real x;
    output R r;
  external "C" r = record_returned(x) annotation(Include = "
    typedef struct { double x; struct { int b; double z; } a1, a2; int yes; } R3;
    static R3 record_returned(double x) { R3 r = {x, {5, x}, {6, x}, 1}; return r; }");
  end record_returned;
  function joined "Strings in arrays"
    input String s[:];
    output String t;
  external "C" t = joined(s, size(s, 1)) annotation(Include = "
    #include \"ModelicaUtilities.h\"
    static const char *joined(const char **s, size_t n)
    {
      size_t length = 0;
      char *all;
      for (size_t i = 0; i < n; i++) length += strlen(s[i]);
      all = ModelicaAllocateString(length);
      for (size_t i = 0; i < n; i++) strcat(all, s[i]);
      return all;
    }");
  end joined;
  function helper "Gives the default call something to link with"
    input Real x;
    output Real y;
  external "C" y = helper(x) annotation(Include = "
    #include <stddef.h>
    void test_default(const double *a, size_t n, size_t m, double *sum, int *count)
    {
      *sum = 0;
      *count = (int)(n*m);
      for (size_t i = 0; i < n*m; i++) *sum += a[i];
    }
    static double helper(double x) { return x; }");
  end helper;
  model M
    Real y, sum, u, ri, rx, rz, q;
    Integer n, count, len, rb;
    Boolean no, ryes;
    Colour next;
    Real t[3, 2];
    Integer doubled[2];
    R out, returned;
    String text;
    Boolean same;
  equation
    (y, n, no, next, text) = scalars(time, 6, true, Colour.green, "abc");
    (t, doubled) = arrays([time, 2, 3; 4, 5, 6], {7, 8});
    (sum, count) = test_default([time, 2; 3, 4]);
    len = test_length("four");
    u = helper(time);
    ri = record_in(R(time, Inner(2, 0.5), Inner(1, time), true));
    out = record_out(time + 1);
    returned = record_returned(time);
    rx = out.x; rz = out.a2.z; rb = out.a1.b; ryes = out.yes;
    q = returned.a2.z;
    same = joined({"a", "bc"}) == "abc" and text == "abclit";
  end M;
end P;
"##;
    let outcome = run(text, "P.M", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    // At time 1, by the C text above.
    for (name, expected) in [
        ("y", 3.5),
        ("n", 42.0),
        ("no", 0.0),
        ("next", 3.0),
        ("t[1,1]", 1.0),
        ("t[3,1]", 3.0),
        ("t[1,2]", 4.0),
        ("doubled[2]", 16.0),
        ("sum", 10.0),
        ("count", 4.0),
        ("len", 4.0),
        ("u", 1.0),
        ("ri", 121.0),
        ("rx", 2.0),
        ("rz", 8.0),
        ("rb", 1.0),
        ("ryes", 1.0),
        ("q", 1.0),
        ("returned.a1.b", 5.0),
        ("same", 1.0),
    ] {
        let found = outcome.end(name);
        assert!((found - expected).abs() < 1e-12, "{name} is {found}, not {expected}");
    }
}

#[test]
fn objects_live_and_die() {
    if !compiler() {
        return;
    }
    let log = tempfile::NamedTempFile::new().expect("a file");
    let text = r##"
package P
  class Counter
    extends ExternalObject;
    function constructor
      input Real start;
      input String log;
      output Counter counter;
    external "C" counter = counter_new(start, log) annotation(Include = "
      #include <stdio.h>
      #include <stdlib.h>
      #include <string.h>
      typedef struct { double sum; char log[500]; } counter;
      void *counter_new(double start, const char *log)
      {
        counter *c = calloc(1, sizeof *c);
        c->sum = start;
        strncpy(c->log, log, sizeof c->log - 1);
        return c;
      }
      double counter_add(void *object, double x)
      {
        counter *c = object;
        return c->sum + x;
      }
      void counter_free(void *object)
      {
        counter *c = object;
        FILE *file = fopen(c->log, \"a\");
        fprintf(file, \"freed %g\\n\", c->sum);
        fclose(file);
        free(c);
      }");
    end constructor;
    function destructor
      input Counter counter;
    external "C" counter_free(counter);
    end destructor;
  end Counter;
  function add
    input Counter counter;
    input Real x;
    output Real y;
  external "C" y = counter_add(counter, x);
  end add;
  model M
    Counter a = Counter(10, "LOG");
    Counter b = Counter(20, "LOG");
    Real y = add(a, time) + add(b, time);
  end M;
end P;
"##;
    let text = text.replace("LOG", &log.path().to_string_lossy());
    let outcome = run(&text, "P.M", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    close(outcome.end("y"), 32.0);
    // The last one first.
    assert_eq!(std::fs::read_to_string(log.path()).expect("the log"), "freed 20\nfreed 10\n");
}

/// Objects that count how often they were asked, and say when they are made and destroyed.
const TALLIES: &str = r##"
package P
  class Tally
    extends ExternalObject;
    function constructor
      input Real values[:];
      output Tally tally;
    external "C" tally = tally_new(values, size(values, 1)) annotation(Include = "
      #include \"ModelicaUtilities.h\"
      #include <stdlib.h>
      typedef struct { double first; int asked; } tally;
      static int tallies;
      void *tally_new(const double *values, size_t n)
      {
        tally *t = calloc(1, sizeof *t);
        t->first = n > 0 ? values[0] : 0;
        tallies++;
        return t;
      }
      double tally_ask(void *object) { return ++((tally *)object)->asked; }
      double tally_first(void *object, double x) { return ((tally *)object)->first + x; }
      void tally_free(void *object)
      {
        tallies--;
        free(object);
      }
      double tally_count(double x) { return tallies + 0*x; }");
    end constructor;
    function destructor
      input Tally tally;
    external "C" tally_free(tally);
    end destructor;
  end Tally;
  impure function ask
    input Tally tally;
    output Real y;
  external "C" y = tally_ask(tally);
  end ask;
  function first
    input Tally tally;
    input Real x;
    output Real y;
  external "C" y = tally_first(tally, x);
  end first;
  impure function count
    input Real x;
    output Real y;
  external "C" y = tally_count(x);
  end count;
"##;

#[test]
fn equal_declarations_are_different_objects() {
    if !compiler() {
        return;
    }
    let text = format!(
        "{TALLIES}
  model Sub
    Tally own = Tally({{1, 2, 3}});
    discrete Real asked(start = 0, fixed = true);
    parameter Real interval = 0.1;
  equation
    when sample(interval, interval) then
      asked = ask(own);
    end when;
  end Sub;
  model M
    Sub s[2](interval = {{0.3, 0.45}});
    Tally other = Tally({{1, 2, 3}});
    discrete Real asked(start = 0, fixed = true), there(start = 0, fixed = true);
  equation
    when time > 0.5 then
      asked = ask(other) + 10*ask(other);
      there = count(time);
    end when;
  end M;
end P;
"
    );
    let outcome = run(&text, "P.M", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    // At 0.3, 0.6 and 0.9; at 0.45 and 0.9; twice at 0.5, the left one first.
    for (name, expected) in [("s[1].asked", 3.0), ("s[2].asked", 2.0), ("asked", 21.0), ("there", 3.0)] {
        assert_eq!(outcome.end(name), expected, "{name}");
    }
}

#[test]
fn objects_of_functions_end_with_them() {
    if !compiler() {
        return;
    }
    let text = format!(
        "{TALLIES}
  function f
    input Real x;
    output Real y;
  protected
    Tally own = Tally({{x, x}});
    Tally more = Tally({{1.0}});
  algorithm
    y := first(own, x) + first(more, 0);
  end f;
  model M
    Real y = f(time);
    Tally stays = Tally({{5.0}});
    Real z = first(stays, time);
    discrete Real there(start = 0, fixed = true);
  equation
    when time > 0.5 then
      there = count(time);
    end when;
  end M;
end P;
"
    );
    let outcome = run(&text, "P.M", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    close(outcome.end("y"), 3.0);
    close(outcome.end("z"), 6.0);
    assert_eq!(outcome.end("there"), 1.0);
}

#[test]
fn impure_calls_are_made_as_often_as_they_are_written() {
    if !compiler() {
        return;
    }
    let text = r##"
package P
  impure function next
    output Real y;
  external "C" y = next_number() annotation(Include = "
    static double next_number(void) { static double n; return ++n; }");
  end next;
  impure function digits
    output Real d;
  algorithm
    d := next();
    d := 10*d + next();
  end digits;
  impure function pair
    output Real a, b;
  algorithm
    a := next();
    b := next();
  end pair;
  model M
    discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
    discrete Real d(start = 0, fixed = true), e(start = 0, fixed = true), v[2](each start = 0, each fixed = true);
    discrete Real p(start = 0, fixed = true), q(start = 0, fixed = true);
    discrete Real r(start = 0, fixed = true), s(start = 0, fixed = true);
  algorithm
    when time > 0.1 then
      c := next();
      a := next() + 10*next();
      b := next();
    end when;
  equation
    when time > 0.3 then
      d = 10*next() + next();
    end when;
    when time > 0.5 then
      e = digits();
    end when;
    when time > 0.7 then
      v = {next() for i in 1:2};
    end when;
    when time > 0.9 then
      (p, q) = pair();
    end when;
    when time > 0.92 then
      r = next() + 0*next();
    end when;
    when time > 0.94 then
      s = next();
    end when;
  end M;
end P;
"##;
    let outcome = run(text, "P.M", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    // The numbers in the order of the text: c 1, a 2 and 3, b 4, and so on.
    for (name, expected) in [
        ("c", 1.0),
        ("a", 32.0),
        ("b", 4.0),
        ("d", 56.0),
        ("e", 78.0),
        ("v[1]", 9.0),
        ("v[2]", 10.0),
        ("p", 11.0),
        ("q", 12.0),
        ("r", 13.0),
        ("s", 15.0),
    ] {
        assert_eq!(outcome.end(name), expected, "{name}");
    }
}

#[test]
fn crashes_are_errors_and_results_are_kept() {
    if !compiler() {
        return;
    }
    for (what, said) in [
        ("*(volatile int *)0 = 1;", "memory that is not there"),
        ("abort();", "abort()"),
        ("exit(0);", "exit(0)"),
        ("_exit(0);", "_exit(0)"),
        ("_Exit(3);", "_Exit(3)"),
        ("zero = 5/zero;", "divided an integer by zero"),
        ("x = deeper(x);", "memory that is not there"),
    ] {
        let text = r##"
model M
  function fragile
    input Real x;
    output Real y;
  external "C" y = fragile(x) annotation(Include = "
    #include <stdlib.h>
    #include <unistd.h>
    static double deeper(double x)
    {
      volatile char room[4096];
      room[0] = (char)x;
      return x > 1e30 ? x : deeper(x + 1) + room[0];
    }
    static double fragile(double x)
    {
      volatile int zero = 0;
      if (x < 0) return deeper(x);
      if (x > 0.5) { WHAT }
      return x + zero;
    }");
  end fragile;
  Real y = fragile(time);
end M;
"##;
        let outcome = run(&text.replace("WHAT", what), "M", true);
        assert_eq!(outcome.codes(), ["K0543"], "{what}: {:?}", outcome.texts());
        let message = &outcome.diagnostics[0].message;
        assert!(message.contains("M.fragile") && message.contains(said), "{what}: {message}");
        assert!(outcome.trajectory.time.last().is_some_and(|t| *t > 0.3), "{:?}", outcome.trajectory.time);
    }
}

#[test]
fn writing_beyond_an_array_is_an_error() {
    if !compiler() {
        return;
    }
    for (ty, c) in [("Real", "double"), ("Integer", "int")] {
        let text = format!(
            "model M function f input Real x; output {ty} y[3]; external \"C\" f(x, y) annotation(Include = \"
               static void f(double x, {c} *y) {{ for (int i = 0; i < (x > 0.5 ? 4 : 3); i++) y[i] = i; }}\"); end f; \
             {ty} y[3] = f(if time > 0.6 then 1 else 0); end M;"
        );
        let outcome = run(&text, "M", true);
        assert_eq!(outcome.codes(), ["K0543"], "{:?}", outcome.texts());
        assert!(
            outcome.diagnostics[0].message.contains("beyond the end of an array"),
            "{:?}",
            outcome.texts()
        );
        assert_eq!(outcome.end("y[3]"), 2.0);
    }
}

#[test]
fn integers_and_pointers_are_not_the_same() {
    if !compiler() {
        return;
    }
    // A temporary is passed by its address, as the specification says (section 12.9.1); a text is no number.
    for text in [
        "model M function f input Real x; output Real y; protected Integer n = 3; \
         external \"C\" f(x, n, y) annotation(Include = \"static void f(double x, int n, double *y) { *y = x*n; }\"); \
         end f; Real y = f(time); end M;",
        "model M function f input Real x; output String s; \
         external \"C\" s = f(x) annotation(Include = \"static int f(double x) { return 5; }\"); end f; \
         Boolean b = f(time) == \"a\"; end M;",
    ] {
        let outcome = run(text, "M", true);
        assert_eq!(outcome.codes(), ["K0542"], "{:?}", outcome.texts());
    }
    let wild = "model M function f input Real x; output String s; external \"C\" s = f(x) annotation(Include = \"
         static const char *f(double x) { return (const char *)5; }\"); end f; Boolean b = f(time) == \"a\"; end M;";
    let outcome = run(wild, "M", true);
    assert_eq!(outcome.codes(), ["K0543"], "{:?}", outcome.texts());
}

#[test]
fn the_least_integer_is_one() {
    if !compiler() {
        return;
    }
    let text = "model M function f input Integer i; output Real y; external \"C\" y = f(i) annotation(Include = \"
         static double f(int i) { return i; }\"); end f; Real y = f(if time < 2 then -2147483647 - 1 else 0); end M;";
    assert_eq!(run(text, "M", true).end("y"), f64::from(i32::MIN));
}

#[test]
fn what_foreign_code_says() {
    if !compiler() {
        return;
    }
    let text = r##"
model M
  function careful
    input Real x;
    output Real y;
  external "C" y = careful(x) annotation(Include = "
    #include \"ModelicaUtilities.h\"
    static double careful(double x)
    {
      if (x == 0) ModelicaMessage(\"hello\");
      if (x > 0.2) ModelicaFormatWarning(\"%s\", \"it gets warm\");
      if (x > 0.5) ModelicaFormatError(\"%g is %s\", 0.5, \"too much\");
      return x;
    }");
  end careful;
  Real x(start = 0, fixed = true);
equation
  der(x) = careful(time);
end M;
"##;
    let outcome = run(text, "M", true);
    let texts = outcome.texts();
    assert!(texts.contains(&"K0531: hello".to_owned()), "{texts:?}");
    assert!(texts.iter().any(|t| t.starts_with("K0530: it gets warm")), "{texts:?}");
    let error = outcome.diagnostics.iter().find(|d| d.is_error()).expect("an error");
    assert!(error.message.contains("0.5 is too much"), "{texts:?}");
    // What was computed before is kept.
    assert!(outcome.trajectory.time.last().is_some_and(|t| *t > 0.3), "{:?}", outcome.trajectory.time);
}

#[test]
fn what_cannot_be_used() {
    if !compiler() {
        return;
    }
    let message = |annotation: &str, code: &str| {
        let text = format!(
            "model M function f input Real x; output Real y; external \"{code}\" y = test_f(x) {annotation}; end f; \
             Real y = f(time); end M;"
        );
        let outcome = run(&text, "M", true);
        assert_eq!(outcome.diagnostics.len(), 1, "{:?}", outcome.texts());
        let d = &outcome.diagnostics[0];
        assert!(d.message.contains("M.f") && d.labels.len() == 1, "{}", d.message);
        format!("{} {}", d.code, d.message)
    };
    let wrong = message("annotation(Include = \"double test_f(double x) { return x +; }\")", "C");
    assert!(wrong.starts_with("K0542") && wrong.contains("Include of M.f:1:"), "{wrong}");
    let missing = message("annotation(Library = \"no_such_library\")", "C");
    assert!(missing.starts_with("K0542") && missing.contains("no library no_such_library"), "{missing}");
    let symbol = message("", "C");
    assert!(symbol.starts_with("K0542") && symbol.contains("no function test_f"), "{symbol}");
    let header = message("annotation(Include = \"#include \\\"no_such_header.h\\\"\")", "C");
    assert!(header.contains("no_such_header.h"), "{header}");
    let types = message("annotation(Include = \"double test_f(double *x) { return *x; }\")", "C");
    assert!(types.starts_with("K0542"), "{types}");
    let fortran = message("", "FORTRAN 77");
    assert!(fortran.starts_with("K0541") && fortran.contains("only C"), "{fortran}");
}

#[test]
fn native_versions_come_first() {
    // There is no such function in the C library that was given; the native one needs no permission.
    let text = r#"
model M
  function length
    input String s;
    output Integer n;
  external "C" n = ModelicaStrings_length(s) annotation(Library = "no_such_library");
  end length;
  Real y = time*length("abc");
end M;
"#;
    let outcome = run(text, "M", false);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    close(outcome.end("y"), 3.0);
}

#[test]
fn impure_functions_are_not_run_while_flattening() {
    if !compiler() {
        return;
    }
    let text = r#"
model M
  impure function next
    output Integer n;
  external "C" n = test_next() annotation(Include = "static int test_next(void) { static int n = 0; return ++n; }");
  end next;
  discrete Integer n(start = 0, fixed = true);
equation
  when sample(0.1, 0.2) then
    n = next();
  end when;
end M;
"#;
    let outcome = run(text, "M", true);
    assert!(outcome.diagnostics.is_empty(), "{:?}", outcome.texts());
    // Ticks at 0.1, 0.3, 0.5, 0.7, 0.9; a counter that is called once at each.
    assert_eq!(outcome.end("n"), 5.0);
}
