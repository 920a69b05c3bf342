//! The server: on this machine only, for whoever has the token.
//!
//! Requests come from one page. What comes from elsewhere is refused before anything is read of it: the address has to be
//! that of this machine (`Host`, against names that lead here), the page that asks has to be ours (`Origin`), and calls carry the token in
//! a header, which no other page can set. Bodies are bounded.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use include_dir::{Dir, include_dir};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::BroadcastStream;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;

use crate::calls;
use crate::failure::Failure;
use crate::studio::Studio;

/// The files of the page, each packed.
static PAGE: Dir<'_> = include_dir!("$OUT_DIR/dist");

/// The largest body of a request: a text may be some megabytes.
const LARGEST: usize = 32 << 20;

/// What the page may do: nothing from elsewhere, no scripts but its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; connect-src 'self'; font-src 'self' data:; worker-src 'self' blob:; \
    frame-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// Was the page there when this was built?
pub fn is_available() -> bool {
    PAGE.get_file("index.html").is_some()
}

#[derive(Clone)]
struct Server {
    studio: Arc<Studio>,
    token: Arc<str>,
    port: u16,
    page: Option<Arc<PathBuf>>,
}

/// A server that listens.
pub struct Listening {
    listener: std::net::TcpListener,
    server: Server,
}

impl Listening {
    /// Listens on this port, or on any that is free with 0.
    pub fn new(studio: Arc<Studio>, port: u16, page: Option<PathBuf>) -> std::io::Result<Listening> {
        let listener = std::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let mut bytes = [0u8; 24];
        getrandom::fill(&mut bytes).map_err(|e| std::io::Error::other(e.to_string()))?;
        let token: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        let page = page.map(Arc::new);
        Ok(Listening { listener, server: Server { studio, token: token.into(), port, page } })
    }

    /// Where the page is.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.server.port, self.server.token)
    }

    /// Serves until the program ends.
    pub fn serve(self) -> std::io::Result<()> {
        /// Models are trees, and trees may be deep.
        const STACK: usize = 64 << 20;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_stack_size(STACK)
            .enable_all()
            .build()?;
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            axum::serve(listener, router(self.server)).await
        })
    }
}

fn router(server: Server) -> Router {
    Router::new()
        .route("/", get(page))
        .route("/{*path}", get(page))
        .route("/api/events", post(events))
        .route("/api/{name}", post(call))
        .layer(DefaultBodyLimit::max(LARGEST))
        .layer(middleware::from_fn_with_state(server.clone(), guard))
        .with_state(server)
}

/// Refuses what does not come from our page.
async fn guard(State(server): State<Server>, request: Request, next: Next) -> Response {
    let refused = check(&server, request.headers(), request.uri().path());
    let mut response = match refused {
        Some(failure) => failure.into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let mut set = |name: header::HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::CONTENT_SECURITY_POLICY, POLICY);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CACHE_CONTROL, "no-store");
    response
}

fn check(server: &Server, headers: &HeaderMap, path: &str) -> Option<Failure> {
    let text = |name: header::HeaderName| headers.get(name).map(|v| v.to_str().unwrap_or("?"));
    let port = server.port;
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    if !text(header::HOST).is_some_and(|host| hosts.iter().any(|h| h == host)) {
        return Some(Failure::forbidden("this address is not served"));
    }
    if let Some(origin) = text(header::ORIGIN)
        && !hosts.iter().any(|h| origin.strip_prefix("http://") == Some(h))
    {
        return Some(Failure::forbidden("another page may not ask here"));
    }
    if !path.starts_with("/api/") {
        return None;
    }
    let given = headers.get("x-kausal-token").map(HeaderValue::as_bytes).unwrap_or_default();
    if !equal(given, server.token.as_bytes()) {
        let message = "the token is missing or wrong: open the address that the program printed";
        return Some(Failure::new(StatusCode::UNAUTHORIZED, "unauthorized", message));
    }
    None
}

/// Takes as long whatever is different.
fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}

async fn call(State(server): State<Server>, Path(name): Path<String>, request: Request) -> Response {
    let body = match axum::body::to_bytes(request.into_body(), LARGEST).await {
        Ok(body) => body,
        Err(_) => {
            let message = format!("a request has {LARGEST} bytes at most");
            return Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message).into_response();
        }
    };
    let request: serde_json::Value = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return Failure::bad(error.to_string()).into_response(),
    };
    let studio = server.studio.clone();
    let work = tokio::task::spawn_blocking(move || {
        match kausal::internal::guarded(|| calls::answer(&studio, &name, &request)) {
            Ok(Ok(value)) => {
                let body = serde_json::to_vec(&value).unwrap_or_default();
                ([(header::CONTENT_TYPE, "application/json")], body).into_response()
            }
            Ok(Err(failure)) => failure.into_response(),
            Err(fault) => {
                studio.recover();
                Failure::new(StatusCode::INTERNAL_SERVER_ERROR, fault.code, fault.message).into_response()
            }
        }
    });
    match work.await {
        Ok(response) => response,
        Err(_) => Failure::new(StatusCode::INTERNAL_SERVER_ERROR, "K0990", "the call ended by a fault")
            .into_response(),
    }
}

/// A line for each event, as long as somebody listens.
async fn events(State(server): State<Server>) -> Response {
    let heard = BroadcastStream::new(server.studio.events.subscribe()).map(|event| {
        let line = match event {
            Ok(line) => line.to_string(),
            Err(BroadcastStreamRecvError::Lagged(_)) => r#"{"event":"lost"}"#.to_owned(),
        };
        Ok::<_, std::convert::Infallible>(format!("{line}\n"))
    });
    let hello = tokio_stream::once(Ok("{\"event\":\"hello\"}\n".to_owned()));
    let body = Body::from_stream(hello.chain(heard));
    ([(header::CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// A file of the page.
async fn page(State(server): State<Server>, request: Request) -> Response {
    let path = request.uri().path().trim_start_matches('/');
    let path = if path.is_empty() { "index.html" } else { path };
    let clean =
        path.split('/').all(|p| !p.is_empty() && p != ".." && p != "." && !p.contains(['\\', '%', ':']));
    let missing = || Failure::missing("such file").into_response();
    if !clean {
        return missing();
    }
    // The font texts of pictures are measured with.
    let font = match path {
        "font/regular.ttf" => Some(kausal::draw::font::REGULAR.bytes()),
        "font/bold.ttf" => Some(kausal::draw::font::BOLD.bytes()),
        _ => None,
    };
    if let Some(bytes) = font {
        return ([(header::CONTENT_TYPE, "font/ttf")], bytes).into_response();
    }
    let bytes = match &server.page {
        Some(folder) => match std::fs::read(folder.join(path)) {
            Ok(bytes) => bytes,
            Err(_) => return missing(),
        },
        None => match PAGE.get_file(path) {
            Some(file) => kausal_pack::unpack(file.contents()),
            None => return missing(),
        },
    };
    let kind = match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "png" => "image/png",
        "woff2" => "font/woff2",
        _ => "application/octet-stream",
    };
    ([(header::CONTENT_TYPE, kind)], bytes).into_response()
}
