//! A studio that is asked as the page asks it, and as pages ask that should not.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::Value;

/// A studio that serves.
pub struct Studio {
    /// Its port.
    pub port: u16,
    /// What the page knows.
    pub token: String,
}

/// Opens a folder.
pub fn open(folder: &Path) -> Studio {
    let options = kausal_studio::Options { folders: vec![folder.to_owned()], ..Default::default() };
    let listening = kausal_studio::open(options).expect("a port is free");
    let address = listening.address();
    std::thread::spawn(move || listening.serve());
    let (host, token) = address.split_once("/#token=").expect("it has a token");
    let port = host.rsplit(':').next().and_then(|p| p.parse().ok()).expect("it has a port");
    Studio { port, token: token.to_owned() }
}

impl Studio {
    /// A request as it is on the wire: status, head and body of the answer.
    pub fn raw(&self, request: &[u8]) -> (u16, String, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        // A server that refuses need not read on.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        (status, head.to_lowercase(), body.to_owned())
    }

    /// A call with these headers besides.
    pub fn post(&self, name: &str, headers: &str, body: &str) -> (u16, String, String) {
        let length = body.len();
        let request = format!(
            "POST /api/{name} HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.raw(request.as_bytes())
    }

    /// The headers of the page.
    pub fn headers(&self) -> String {
        let (port, token) = (self.port, &self.token);
        format!("Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nX-Kausal-Token: {token}\r\n")
    }

    /// A call of the page: status and answer.
    pub fn call(&self, name: &str, request: &Value) -> (u16, Value) {
        let (status, _, body) = self.post(name, &self.headers(), &request.to_string());
        (status, serde_json::from_str(&body).unwrap_or_else(|e| panic!("{name}: {e}: {body}")))
    }

    /// A call that has to be answered.
    pub fn ask(&self, name: &str, request: Value) -> Value {
        let (status, answer) = self.call(name, &request);
        assert_eq!(status, 200, "{name} {request}: {answer}");
        answer
    }
}
