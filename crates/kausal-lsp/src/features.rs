//! What is answered to which request.

mod calls;
mod completion;
pub(crate) mod describe;
mod editing;
mod hints;
mod hover;
mod navigation;
mod outline;
mod signature;
mod tokens;
mod types;
mod value;

use serde_json::Value;

use crate::worker::Worker;
pub use tokens::TOKEN_TYPES;

/// Answers a request; an error where there is no such request.
pub fn answer(w: &mut Worker, method: &str, params: &Value) -> Result<Value, String> {
    let answer = match method {
        "textDocument/completion" => completion::completion(w, params),
        "textDocument/hover" => hover::hover(w, params),
        "textDocument/signatureHelp" => signature::signature_help(w, params),
        "textDocument/definition" | "textDocument/declaration" => navigation::definition(w, params),
        "textDocument/typeDefinition" => navigation::type_definition(w, params),
        "textDocument/implementation" => types::implementations(w, params),
        "textDocument/references" => navigation::references(w, params),
        "textDocument/documentHighlight" => navigation::highlight(w, params),
        "textDocument/prepareRename" => navigation::prepare_rename(w, params),
        "textDocument/rename" => return navigation::rename(w, params),
        "textDocument/documentSymbol" => outline::document_symbols(w, params),
        "workspace/symbol" => outline::workspace_symbols(w, params),
        "textDocument/foldingRange" => outline::folding(w, params),
        "textDocument/selectionRange" => outline::selection(w, params),
        "textDocument/codeLens" => outline::lenses(w, params),
        "textDocument/inlayHint" => hints::hints(w, params),
        "textDocument/semanticTokens/full" | "textDocument/semanticTokens/range" => tokens::tokens(w, params),
        "textDocument/formatting" | "textDocument/rangeFormatting" => editing::format(w, params),
        "textDocument/onTypeFormatting" => editing::format_typed(w, params),
        "textDocument/codeAction" => editing::actions(w, params),
        "textDocument/prepareCallHierarchy" => calls::prepare(w, params),
        "callHierarchy/incomingCalls" => calls::incoming(w, params),
        "callHierarchy/outgoingCalls" => calls::outgoing(w, params),
        "textDocument/prepareTypeHierarchy" => types::prepare(w, params),
        "typeHierarchy/supertypes" => types::supertypes(w, params),
        "typeHierarchy/subtypes" => types::subtypes(w, params),
        _ => return Err(format!("{method} is not supported")),
    };
    Ok(answer.unwrap_or(Value::Null))
}
