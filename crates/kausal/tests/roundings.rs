//! Relations of small differences of large numbers: their last digits cause no events.

use std::sync::Arc;

use kausal::simulate::{self, Run};
use kausal::{Backend, Inline, Method, Options, Session, Settings};

fn ran(text: &str, method: Method, inline: Inline) -> Run {
    let mut session = Session::new();
    session.add_text("M.mo", text);
    let flat = session.flatten("M").expect("a correct model");
    let options = Options { inline, ..Options::default() };
    let program = session.translate(&flat, &options).expect("a regular model");
    let model = session.compile(program, Backend::Jit).expect("code");
    let settings = Settings { stop: 10.0, interval: 0.02, method, ..Settings::default() };
    simulate::run(Arc::new(model), &settings, &|_| true, None, &mut |_| true)
}

/// A stiff pressure follows another one. The flow between them is `4.5e-9` times the slope, rounded to `1e-13`: it begins to flow
/// at the start, and turns at the nine zeros of the cosine behind `time = 1`, which is an event as well.
#[test]
fn a_flow_between_two_pressures() {
    let text = "model M
        Real p(start = 6e5, fixed = true), q(start = 6e5, fixed = true), T(start = 300, fixed = true), w;
      equation
        w = 2e-3*(p - q);
        der(q) = if time < 1 then -7 else -7*cos(3*(time - 1));
        der(p) = -w/4.5e-9;
        der(T) = if w > 0 then w*1e4 else w*1.1e4;
      end M;";
    for (method, inline) in
        [(Method::Bdf, Inline::Off), (Method::Radau, Inline::Off), (Method::Bdf, Inline::Bdf)]
    {
        let run = ran(text, method, inline);
        assert!(run.diagnostics.iter().all(|d| !d.is_error()), "{method} {inline:?}: {:?}", run.diagnostics);
        let did = &run.statistics;
        // Where steps end right at one of the nine zeros, an error of the pressures far below the tolerance may turn the flow twice more.
        assert!((10..=28).contains(&did.state_events), "{method} {inline:?}: {}", did.state_events);
        assert_eq!(did.time_events, 1, "{method} {inline:?}");
    }
}
