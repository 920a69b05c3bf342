//! What must not work: requests from elsewhere, paths that lead out, bodies without end, scripts in documentation.

mod support;

use serde_json::json;
use support::{Studio, open};

fn refused(studio: &Studio, headers: &str, status: u16) {
    let (got, head, body) = studio.post("session", headers, "{}");
    assert_eq!(got, status, "{headers}: {head} {body}");
    assert!(!body.contains("roots"), "{body}");
}

#[test]
fn requests_that_are_not_of_the_page_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let studio = open(folder.path());
    let port = studio.port;
    let (host, token) =
        (format!("Host: 127.0.0.1:{port}\r\n"), format!("X-Kausal-Token: {}\r\n", studio.token));
    let (status, _, body) = studio.post("session", &format!("{host}{token}"), "{}");
    assert_eq!(status, 200, "{body}");
    refused(&studio, &host, 401);
    refused(&studio, &format!("{host}X-Kausal-Token: {}\r\n", "0".repeat(48)), 401);
    refused(&studio, &format!("{host}X-Kausal-Token:\r\n"), 401);
    refused(&studio, &format!("{host}Authorization: Bearer {}\r\n", studio.token), 401);
    // Other pages, with the token or not.
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://127.0.0.1:1",
        "http://localhost.evil.example",
    ] {
        refused(&studio, &format!("{host}{token}Origin: {origin}\r\n"), 403);
    }
    // Names that lead to this machine.
    for other in ["evil.example", &format!("evil.example:{port}"), "127.0.0.1", "[::1]"] {
        refused(&studio, &format!("Host: {other}\r\n{token}"), 403);
    }
    let get = format!("GET / HTTP/1.1\r\nConnection: close\r\nHost: evil.example:{port}\r\n\r\n");
    assert_eq!(studio.raw(get.as_bytes()).0, 403);
    // Reading is no call.
    let get = format!("GET /api/session HTTP/1.1\r\nConnection: close\r\n{host}{token}\r\n");
    assert_eq!(studio.raw(get.as_bytes()).0, 405);
    // The stream of events, too.
    let (status, ..) = studio.post("events", &host, "{}");
    assert_eq!(status, 401);
}

#[test]
fn it_listens_on_this_machine_only() {
    let folder = tempfile::tempdir().unwrap();
    let studio = open(folder.path());
    // Whatever other addresses the machine has: this one is not theirs.
    let other = std::net::SocketAddr::from(([127, 0, 0, 2], studio.port));
    assert!(std::net::TcpStream::connect_timeout(&other, std::time::Duration::from_secs(2)).is_err());
}

#[test]
fn paths_that_lead_out_are_refused() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("models");
    std::fs::create_dir(&folder).unwrap();
    let secret = outer.path().join("Secret.mo");
    std::fs::write(&secret, "model Secret end Secret;").unwrap();
    std::fs::write(folder.join("M.mo"), "model M end M;").unwrap();
    let studio = open(&folder);
    let inside = folder.to_string_lossy();
    let mut paths = vec![
        secret.to_string_lossy().into_owned(),
        format!("{inside}/../Secret.mo"),
        "/etc/passwd".to_owned(),
        "../Secret.mo".to_owned(),
        "memory:/../../etc/passwd".to_owned(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&secret, folder.join("Link.mo")).unwrap();
        std::os::unix::fs::symlink(outer.path(), folder.join("out")).unwrap();
        paths.push(format!("{inside}/out/Secret.mo"));
        paths.push(format!("{inside}/Link.mo"));
    }
    for path in &paths {
        for (call, request) in [
            ("text", json!({"file": path})),
            ("text.save", json!({"file": path})),
            ("text.change", json!({"file": path, "version": 1, "changes": []})),
            ("completion", json!({"file": path, "offset": 0})),
        ] {
            let (status, answer) = studio.call(call, &request);
            assert!((400..500).contains(&status), "{call} {path}: {status} {answer}");
            assert!(!answer.to_string().contains("root:"), "{answer}");
        }
    }
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "model Secret end Secret;");
    // Files of libraries are read, and not written.
    let class = studio.ask("text", json!({"class": "Kausal.Examples.RC"}));
    assert_eq!(class["editable"], false);
    let edit = json!({"class": "Kausal.Examples.RC", "edits": [{"edit": "delete", "component": "C"}]});
    let (status, answer) = studio.call("edit", &edit);
    assert!((400..500).contains(&status), "{answer}");
    // So are files of the page.
    let host = format!("Connection: close\r\nHost: 127.0.0.1:{}\r\n\r\n", studio.port);
    for path in ["/../Cargo.toml", "/..%2f..%2fCargo.toml", "//etc/passwd", "/assets/../../Cargo.toml"] {
        let (status, _, body) = studio.raw(format!("GET {path} HTTP/1.1\r\n{host}").as_bytes());
        assert_eq!(status, 404, "{path}: {body}");
    }
}

#[test]
fn bodies_have_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let studio = open(folder.path());
    let headers = studio.headers();
    let large = format!(
        "POST /api/session HTTP/1.1\r\nConnection: close\r\nContent-Length: 99999999999\r\n{headers}\r\n"
    );
    let mut request = large.into_bytes();
    request.resize(request.len() + (33 << 20), b' ');
    let (status, ..) = studio.raw(&request);
    assert!(status == 413 || status == 0, "{status}");
    // It goes on serving.
    studio.ask("methods", json!({}));
    for body in ["", "{", "[1,", "\"\\ud800\"", &"[".repeat(200_000)] {
        let (status, ..) = studio.post("session", &headers, body);
        assert!((400..500).contains(&status), "{status}");
    }
    assert_eq!(studio.call("nothing", &json!({})).0, 404);
    assert_eq!(studio.call("tree", &json!({"class": 7})).0, 400);
}

#[test]
fn scripts_in_documentation_do_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let info = "<html><p onclick='x()'>a</p><script>alert(1)</script><img src=x onerror=alert(2)>\
        <a href='javascript:alert(3)'>b</a><iframe src='http://evil.example'></iframe><style>*{}</style>\
        <svg><script>alert(4)</script></svg><form action='http://evil.example'><input></form></html>";
    let text = format!(
        "model M \"<script>alert(5)</script>\"\n  parameter Real p = 1 \"<img src=x onerror=alert(6)>\";\n  annotation(\
         Documentation(info=\"{info}\"), Icon(graphics={{Text(extent={{{{-100,-100}},{{100,100}}}}, \
         textString=\"<script>alert(7)</script>\")}}));\nend M;\n"
    );
    std::fs::write(folder.path().join("M.mo"), text).unwrap();
    let studio = open(folder.path());
    let answer = studio.ask("documentation", json!({"class": "M"}));
    for place in ["html", "icon"] {
        let html = answer[place].as_str().unwrap();
        for bad in ["<script", "onclick", "onerror", "javascript:", "<iframe", "<form", "<input", "<style"] {
            assert!(!html.contains(bad), "{bad} in {html}");
        }
    }
    let diagram = studio.ask("diagram", json!({"class": "M"}));
    assert!(!diagram["background"].as_str().unwrap().contains("<script"));
    // And whatever came through could load and run nothing: the page has a policy.
    let get = format!("GET / HTTP/1.1\r\nConnection: close\r\nHost: 127.0.0.1:{}\r\n\r\n", studio.port);
    let (_, head, _) = studio.raw(get.as_bytes());
    assert!(head.contains("content-security-policy: default-src 'none'; script-src 'self';"), "{head}");
    assert!(head.contains("x-content-type-options: nosniff"), "{head}");
}

#[test]
fn foreign_code_runs_after_a_question_only() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ran");
    let text = format!(
        "function touch\n  input Real x;\n  output Real y;\n  external \"C\" y = touch_it(x) annotation(Include=\"#include <stdio.h>\n\
         static double touch_it(double x) {{ FILE *f = fopen(\\\"{}\\\", \\\"w\\\"); if (f) fclose(f); return x; }}\");\nend touch;\n",
        mark.display()
    );
    std::fs::write(folder.path().join("touch.mo"), text).unwrap();
    let model = "model M\n  Real x = touch(time);\n  annotation(experiment(StopTime=1));\nend M;\n";
    std::fs::write(folder.path().join("M.mo"), model).unwrap();
    let studio = open(folder.path());
    let finished = |number: u64| loop {
        let info = studio.ask("run.info", json!({"run": number}));
        if info["state"] != "translating" && info["state"] != "running" {
            return info;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let run = studio.ask("run.start", json!({"class": "M", "settings": {}}));
    let info = finished(run["run"].as_u64().unwrap());
    assert_eq!(info["state"], "failed", "{info}");
    assert_eq!(info["permission"]["kind"], "foreign", "{info}");
    assert!(!mark.exists());
    let no = studio.call("permission.answer", &json!({"id": "p999", "allow": true}));
    assert_eq!(no.0, 400);
    studio.ask("permission.answer", json!({"id": info["permission"]["id"], "allow": true}));
    let run = studio.ask("run.start", json!({"class": "M", "settings": {}}));
    let info = finished(run["run"].as_u64().unwrap());
    assert_eq!(info["state"], "done", "{info}");
    assert!(mark.exists());
}
