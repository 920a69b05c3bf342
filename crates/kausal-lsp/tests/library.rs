//! Lints that look into libraries.

use std::sync::Arc;

use kausal_lsp::{MakeFiles, Places, World, lint_library, lint_text};
use kausal_model::Files;
use kausal_syntax::Sources;

/// A library and a file that uses it.
struct Two;

const LIBRARY: &str = "package L
  connector Pin Real v; flow Real i; end Pin;
  model R Pin p, n; equation p.v = n.v; p.i + n.i = 0; end R;
  model Source Pin p; input Real u; equation p.v = 1; end Source;
  model World Pin p; end World;
  model Old extends R; annotation(obsolete = \"take R\"); end Old;
  package Past annotation(obsolete = \"gone soon\"); function f input Real u; output Real y = u; end f; end Past;
end L;
";

const USER: &str = "model M
  L.R r, s, t if false, many[2];
  L.R kept; // lint: allow K0605
  L.Source source;
  inner L.World world;
  L.Old old;
  Real y = L.Past.f(1);
equation
  connect(r.p, old.p);
  annotation(experiment(StopTime = 1));
end M;
";

impl Files for Two {
    fn list(&self, folder: &str) -> Option<Vec<String>> {
        (folder == "lib").then(|| vec!["L.mo".to_owned(), "M.mo".to_owned()])
    }
    fn read(&self, path: &str) -> Option<String> {
        match path {
            "lib/L.mo" => Some(LIBRARY.to_owned()),
            "lib/M.mo" => Some(USER.to_owned()),
            _ => None,
        }
    }
}

#[test]
fn classes_of_libraries_are_looked_at() {
    let files: MakeFiles = Arc::new(|| Box::new(Two));
    let places = Places { files, folders: vec!["lib".to_owned()], buffers: Default::default() };
    let mut world = World::new(places);
    let mut sources = Sources::default();
    let mut told = |path: &str, text: &str| -> Vec<String> {
        let found = lint_library(&mut world, &mut sources, path, text);
        found.iter().map(|d| format!("{} {}", d.code, d.message)).collect()
    };
    let expected = [
        "K0608 Old is deprecated",
        "K0608 f is deprecated",
        "K0605 s.p, s.n are not connected",
        "K0605 source.p is not connected",
    ];
    assert_eq!(told("lib/M.mo", USER), expected);
    // What a file says of itself is told by itself, once.
    assert!(told("lib/L.mo", LIBRARY).is_empty());
    let alone = lint_text(&mut Sources::default(), "M.mo", USER);
    assert!(!alone.iter().any(|d| d.code == "K0605" || d.code == "K0608"), "{alone:?}");
}
