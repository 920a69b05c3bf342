//! `kausal simulate --animate`: the page shows the shapes where they are, in a real browser. Skipped, with a note, where the
//! program was built without Node or there is no Chromium.

use std::process::Command;

use support::{kausal, text};

mod support;

/// A bar that turns once in a second around z, with the variables that shapes of the Standard Library have.
const TURNING: &str = "model Turning
  record Orientation Real T[3, 3]; end Orientation;
  model Shape
    parameter String shapeType = \"box\";
    Orientation R; Real r[3]; Real r_shape[3] = {0, 0, 0}; Real lengthDirection[3] = {1, 0, 0};
    Real widthDirection[3] = {0, 1, 0}; Real length = 1; Real width = 0.1; Real height = 0.1; Real extra = 0;
    Real color[3] = {255, 0, 0};
  end Shape;
  Real phi(start = 0, fixed = true);
  Shape bar(shapeType = \"cylinder\", r = {0, 0, 0}, R(T = {{cos(phi), sin(phi), 0}, {-sin(phi), cos(phi), 0}, {0, 0, 1}}));
equation
  der(phi) = 2*3.141592653589793;
  annotation(experiment(StopTime = 1));
end Turning;";

#[test]
fn shapes_are_shown_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("Turning.mo"), TURNING).unwrap();
    let output = kausal(folder.path(), &["simulate", "Turning.mo", "--animate", "bar.html"]);
    if text(&output.stderr).contains("K0932") {
        assert_eq!(output.status.code(), Some(1));
        println!("skipped: built without Node");
        return;
    }
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = std::fs::read_to_string(folder.path().join("bar.html")).unwrap();
    assert!(page.contains(r#""kind":"cylinder""#) && page.contains(r#""name":"bar""#));
    for address in ["src=\"http", "href=\"http", "import(\"http"] {
        assert!(!page.contains(address), "the page must need nothing from elsewhere: {address}");
    }
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let Some(browser) = names.iter().find(|n| Command::new(n).arg("--version").output().is_ok()) else {
        println!("skipped: there is no Chromium");
        return;
    };
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--enable-unsafe-swiftshader", "--use-gl=angle"])
        .args(["--use-angle=swiftshader", "--enable-logging=stderr", "--window-size=900,700"])
        .args(["--virtual-time-budget=3000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}#t=0.25", folder.path().join("bar.html").display()))
        .output()
        .unwrap();
    let (dom, log) = (text(&output.stdout), text(&output.stderr));
    if dom.is_empty() || log.contains("Error creating WebGL context") {
        println!("skipped: Chromium has no WebGL here");
        return;
    }
    assert!(!log.contains("Uncaught"), "{log}");
    // At a quarter of a turn the bar points along y: the page says where its middle is.
    assert!(dom.contains(r#"data-shapes="1""#), "{log}");
    assert!(dom.contains(r#"data-first="0.00 0.50 0.00""#), "{dom:.2000}");
    assert!(dom.contains("0.250 s"), "the clock shows the instant");
    assert!(dom.contains("class=\"uplot"), "the plot is there");
}

/// Our own bodies are drawn by their frames, in space and in a plane.
#[test]
fn bodies_of_our_library_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    for model in ["Kausal.Examples.Robot", "Kausal.Examples.PlanarPendulum"] {
        let output = kausal(folder.path(), &["simulate", model, "--animate", "page.html"]);
        if text(&output.stderr).contains("K0932") {
            println!("skipped: built without Node");
            return;
        }
        assert!(output.status.success(), "{model}: {}", text(&output.stderr));
        let page = std::fs::read_to_string(folder.path().join("page.html")).unwrap();
        for kind in ["cylinder", "sphere"] {
            assert!(page.contains(&format!(r#""kind":"{kind}""#)), "{model} has no {kind}");
        }
    }
}

#[test]
fn a_model_without_bodies_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let output = kausal(folder.path(), &["simulate", "Kausal.Examples.RC", "--animate", "rc.html"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("K0931") || said.contains("K0932"), "{said}");
}
