//! The name of a call → who answers it. The contract is `studio/src/api.ts`.

use std::sync::{Arc, PoisonError};

use serde_json::{Value, json};

use crate::desk::Desk;
use crate::failure::{Answer, Failure};
use crate::studio::Studio;
use crate::{dialogs, language, pictures, why};

/// What a call was given.
struct Given<'v>(&'v Value);

impl<'v> Given<'v> {
    fn text(&self, name: &str) -> Result<&'v str, Failure> {
        self.0[name].as_str().ok_or_else(|| Failure::bad(format!("{name} is missing")))
    }

    fn or(&self, name: &str, other: &'v str) -> &'v str {
        self.0[name].as_str().unwrap_or(other)
    }

    fn optional(&self, name: &str) -> Option<&'v str> {
        self.0[name].as_str()
    }

    fn number(&self, name: &str) -> Result<u64, Failure> {
        self.0[name].as_u64().ok_or_else(|| Failure::bad(format!("{name} is missing")))
    }

    fn real(&self, name: &str) -> Result<f64, Failure> {
        self.0[name].as_f64().ok_or_else(|| Failure::bad(format!("{name} is missing")))
    }

    fn list(&self, name: &str) -> Vec<String> {
        let list = self.0[name].as_array().into_iter().flatten();
        list.filter_map(|v| v.as_str().map(str::to_owned)).collect()
    }

    fn points(&self) -> Option<usize> {
        self.0["points"].as_u64().map(|n| (n as usize).min(200_000))
    }

    fn range(&self) -> Option<(f64, f64)> {
        Some((self.0["range"][0].as_f64()?, self.0["range"][1].as_f64()?))
    }
}

/// Answers a call.
pub fn answer(studio: &Arc<Studio>, name: &str, request: &Value) -> Answer {
    let given = Given(request);
    let nothing = || Ok(json!({}));
    match name {
        "session" => session(studio),
        "state.save" => {
            *studio.state.lock().unwrap_or_else(PoisonError::into_inner) = request["state"].clone();
            nothing()
        }
        "folder.open" => {
            studio.open_folder(given.text("folder")?)?;
            let info = session(studio)?;
            Ok(json!({"roots": info["roots"], "folders": info["folders"]}))
        }
        "permission.answer" => {
            studio.answered(given.text("id")?, request["allow"].as_bool().unwrap_or(false))?;
            nothing()
        }
        "tree" => {
            let mut desk = studio.desk();
            let children = desk.session().listed(given.text("class")?);
            let nodes: Vec<Value> = children.iter().map(|c| desk.node(c)).collect();
            Ok(json!({"children": nodes}))
        }
        "search" => search(studio, &given),
        "icons" => {
            let mut desk = studio.desk();
            let classes = given.list("classes");
            let icons: Vec<Value> =
                classes.iter().map(|c| json!({"class": c, "svg": icon(&mut desk, c)})).collect();
            Ok(json!({"icons": icons}))
        }
        "documentation" => documentation(studio, given.text("class")?),
        "usage" => usage(studio, given.text("class")?),
        "class.new" => {
            let made = studio.desk().new_class(
                given.text("name")?,
                given.or("kind", "model"),
                given.or("within", ""),
                given.or("description", ""),
                given.or("extends", ""),
            )?;
            studio.tell(&json!({"event": "classes", "class": given.or("within", "")}));
            Ok(made)
        }
        "class.file" => {
            let mut desk = studio.desk();
            let listed = desk.class(given.text("class")?)?;
            let units = crate::places::Places::new(&desk.file(&listed.file)?.text);
            let (from, to) = (units.unit(listed.span.start), units.unit(listed.span.end));
            Ok(json!({"file": listed.file, "from": from, "to": to}))
        }
        "text" => {
            let mut desk = studio.desk();
            let path = path(&mut desk, &given)?;
            let answer = desk.text(&path)?;
            drop(desk);
            watch(studio, &path)?;
            Ok(answer)
        }
        "text.change" => {
            let changes = request["changes"].as_array().cloned().unwrap_or_default();
            let file = given.text("file")?;
            let done =
                studio.desk().typed(file, given.number("version")?, &changes, given.optional("class"))?;
            changed(studio, file)?;
            Ok(done)
        }
        "text.save" => {
            let file = given.text("file")?;
            let version = studio.desk().save(file, request["overwrite"].as_bool().unwrap_or(false))?;
            studio.disk_is_known();
            let text = studio.desk().file(file)?.text.clone();
            studio.catalogue.write().unwrap_or_else(PoisonError::into_inner).replace(file, &text);
            Ok(json!({"version": version}))
        }
        "text.revert" => {
            let file = given.text("file")?;
            let saved = kausal::files::read(&kausal::files::DiskAndBuiltIn, file);
            let saved = saved.ok_or_else(|| Failure::missing("such file on the disk"))?;
            studio.desk().replace(file, &saved, None)?;
            changed(studio, file)?;
            studio.desk().text(file)
        }
        "undo" | "redo" => {
            let file = given.text("file")?;
            let done = studio.desk().step(file, given.optional("class"), name == "undo")?;
            changed(studio, file)?;
            Ok(done)
        }
        "format" => {
            let file = given.text("file")?;
            let text = studio.desk().file(file)?.text.clone();
            watch(studio, file)?;
            let new = studio.language.formatted(file, &text);
            let new = new.ok_or_else(|| Failure::bad("the text cannot be formatted as it is"))?;
            let done = studio.desk().replace(file, &new, given.optional("class"))?;
            changed(studio, file)?;
            Ok(done)
        }
        "completion" | "definition" | "hover" => {
            let (file, offset) = (given.text("file")?, given.number("offset")? as u32);
            let text = studio.desk().file(file)?.text.clone();
            watch(studio, file)?;
            match name {
                "completion" => Ok(studio.language.completion(file, &text, offset)),
                "hover" => Ok(studio.language.hover(file, &text, offset)),
                _ => definition(studio, file, &text, offset),
            }
        }
        "diagram" => studio.desk().diagram(given.text("class")?),
        "icon.layer" => {
            let class = given.text("class")?;
            let mut desk = studio.desk();
            let parts = desk.session().parts(class, true);
            let parts = parts.ok_or_else(|| Failure::missing(&format!("class {class}")))?;
            let own = desk.class(class).map(|c| c.file).and_then(|path| Ok(desk.file(&path)?.source()));
            let shapes = own.map(|source| kausal_edit::graphics(&source, class)).unwrap_or_default();
            Ok(pictures::icon_layer(&parts, &shapes))
        }
        "preview" => {
            let class = given.text("class")?;
            let shown = studio.desk().session().preview(class);
            let shown = shown.ok_or_else(|| Failure::missing(&format!("class {class}")))?;
            let units = crate::places::Places::new("");
            Ok(pictures::component(&shown, None, &units, [[-100.0, -100.0], [100.0, 100.0]]))
        }
        "edit" => {
            let class = given.text("class")?;
            let edits = request["edits"].as_array().cloned().unwrap_or_default();
            let done = studio.desk().edit(class, &edits, request["version"].as_u64())?;
            changed(studio, done["file"].as_str().unwrap_or_default())?;
            Ok(done)
        }
        "parameters" => dialogs::parameters(studio, given.text("class")?, given.or("component", "")),
        "matching" => matching(studio, &given),
        "check" => check(studio, given.text("class")?),
        "methods" => {
            let names: Vec<&str> = kausal::Method::ALL.iter().map(|(_, name)| *name).collect();
            Ok(json!({"methods": names}))
        }
        "experiment" => {
            let model = studio.model(given.text("class")?).map_err(|e| why::failed(studio, &e))?;
            let e = model.experiment();
            let start = e.start.unwrap_or(0.0);
            Ok(json!({
                "start": start,
                "stop": e.stop.unwrap_or(start + 1.0),
                "tolerance": e.tolerance.unwrap_or(1e-6),
                "interval": e.interval,
            }))
        }
        "run.start" => studio.start(given.text("class")?, &request["settings"]),
        "run.cancel" => {
            let run = studio.runs.get(given.number("run")?)?;
            run.cancel();
            Ok(run.shown())
        }
        "run.info" => Ok(studio.runs.get(given.number("run")?)?.shown()),
        "run.list" => Ok(json!({"runs": studio.runs.all()})),
        "run.forget" => {
            studio.runs.forget(given.number("run")?);
            nothing()
        }
        "run.rename" => {
            let run = studio.runs.get(given.number("run")?)?;
            run.rename(given.text("label")?);
            Ok(run.shown())
        }
        "variables" => studio.runs.get(given.number("run")?)?.variables(),
        "columns" => {
            let run = studio.runs.get(given.number("run")?)?;
            let from = request["from"].as_u64().unwrap_or(0) as usize;
            Ok(run.columns(&given.list("names"), from, given.points(), given.range()))
        }
        "slide" => {
            let set = request["set"].as_object().cloned().unwrap_or_default();
            studio.slide(given.number("run")?, &set, &given.list("names"), given.points())
        }
        "plots" => {
            let run = studio.runs.get(given.number("run")?)?;
            let figures = studio.desk().session().figures(run.class());
            Ok(run.plots(&figures))
        }
        "values" => why::values(studio, given.number("run")?, given.real("time")?),
        "scene" => scene(studio, given.number("run")?),
        "csv" => {
            let run = studio.runs.get(given.number("run")?)?;
            Ok(json!({"csv": run.result(|r| csv(r, &given.list("names")))}))
        }
        "fft" => studio.runs.get(given.number("run")?)?.fft(given.text("name")?, given.range()),
        "explain" => why::explain(studio, given.text("class")?),
        "explain.component" => why::of_component(studio, given.text("class")?, given.text("component")?),
        "linearize" => why::linearize(studio, given.text("class")?, request),
        "sweep" => why::sweep(studio, given.text("class")?, request),
        _ => Err(Failure::new(
            axum::http::StatusCode::NOT_FOUND,
            "unknown-call",
            format!("there is no call {name}"),
        )),
    }
}

fn path(desk: &mut Desk, given: &Given<'_>) -> Result<String, Failure> {
    match given.optional("file") {
        Some(file) => Ok(file.to_owned()),
        None => Ok(desk.class(given.text("class")?)?.file),
    }
}

/// The language server knows a text that is looked at.
fn watch(studio: &Studio, file: &str) -> Result<(), Failure> {
    let (text, version) = {
        let mut desk = studio.desk();
        let file = desk.file(file)?;
        (file.text.clone(), file.version)
    };
    let buffers = &studio.places.buffers;
    buffers
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .entry(file.to_owned())
        .or_insert_with(|| text.clone());
    studio.language.text(file, version, &text);
    Ok(())
}

fn changed(studio: &Studio, file: &str) -> Result<(), Failure> {
    watch(studio, file)
}

fn session(studio: &Studio) -> Answer {
    let mut desk = studio.desk();
    let roots = desk.session().listed_roots();
    let roots: Vec<Value> = roots.iter().map(|c| desk.node(c)).collect();
    let opened = studio.places.opened.read().unwrap_or_else(PoisonError::into_inner);
    let folders: Vec<String> = opened.iter().map(|f| f.to_string_lossy().into_owned()).collect();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "home": folders.first().cloned().unwrap_or_default(),
        "folders": folders,
        "roots": roots,
        "diagnostics": studio.language.diagnostics(),
        "texts": desk.texts(),
        "state": *studio.state.lock().unwrap_or_else(PoisonError::into_inner),
        "runs": studio.runs.all(),
    }))
}

/// The icon of a class; empty where it has none.
pub fn icon(desk: &mut Desk, class: &str) -> String {
    desk.session().icon(class).unwrap_or_default()
}

fn search(studio: &Studio, given: &Given<'_>) -> Answer {
    let most = given.0["limit"].as_u64().unwrap_or(50).min(500) as usize;
    let names = {
        let catalogue = studio.catalogue.read().unwrap_or_else(PoisonError::into_inner);
        catalogue.search(given.text("query")?, most)
    };
    let kinds = given.list("kinds");
    let mut desk = studio.desk();
    let mut found = Vec::new();
    let query = given.text("query")?.trim();
    // Who writes a full name means it.
    let exact = (query.contains('.') || names.iter().any(|n| n == query)).then(|| query.to_owned());
    let others = names.into_iter().filter(|n| Some(n) != exact.as_ref());
    for name in exact.iter().cloned().chain(others) {
        if let Some(listed) = desk.session().listed_class(&name)
            && (kinds.is_empty() || kinds.iter().any(|k| k == listed.kind))
        {
            found.push(desk.node(&listed));
        }
    }
    Ok(json!({"found": found}))
}

fn documentation(studio: &Studio, class: &str) -> Answer {
    let mut desk = studio.desk();
    let found = desk.session().document(class).ok_or_else(|| Failure::missing(&format!("class {class}")))?;
    let d = &found.document;
    let entries = |list: &[kausal::draw::Entry]| -> Vec<Value> {
        let one = |e: &kausal::draw::Entry| {
            json!({
                "name": e.name, "class": e.class, "value": e.value, "unit": e.unit,
                "description": e.description, "tab": e.tab, "group": e.group,
            })
        };
        list.iter().map(one).collect()
    };
    let classes: Vec<Value> = d
        .classes
        .iter()
        .map(|(name, kind, description)| json!({"name": name, "kind": kind, "description": description}))
        .collect();
    let icon = icon(&mut desk, class);
    Ok(json!({
        "class": d.class,
        "kind": d.kind,
        "description": d.description,
        "icon": icon,
        "bases": d.bases,
        "parameters": entries(&d.parameters),
        "connectors": entries(&d.connectors),
        "inputs": entries(&d.inputs),
        "outputs": entries(&d.outputs),
        "classes": classes,
        "html": found.info,
    }))
}

/// Where a class is named, in the files that have its name.
fn usage(studio: &Studio, class: &str) -> Answer {
    const MOST: usize = 300;
    let last = class.rsplit('.').next().unwrap_or(class);
    let files = studio.catalogue.read().unwrap_or_else(PoisonError::into_inner).files_with(last);
    let reader = kausal::files::WithBuffers(studio.places.buffers.clone());
    let mut out = Vec::new();
    for file in files {
        let Some(text) = kausal::files::read(&reader, &file) else { continue };
        let source = kausal_edit::Source::new(&text);
        for reference in kausal_lsp::references(&source.ast) {
            if reference.kind != kausal_lsp::ReferenceKind::Type
                && reference.kind != kausal_lsp::ReferenceKind::Function
            {
                continue;
            }
            let written: Vec<&str> = reference.parts.iter().map(|p| p.name.as_str()).collect();
            let written = written.join(".");
            let is_it =
                written == class || class.strip_suffix(&written).is_some_and(|rest| rest.ends_with('.'));
            if !is_it || out.len() >= MOST {
                continue;
            }
            let at = reference.parts[0].span.start;
            let line = text[..at as usize].matches('\n').count() + 1;
            let excerpt = text.lines().nth(line - 1).unwrap_or_default().trim();
            out.push(json!({
                "class": source.class_at(at).unwrap_or_default(),
                "file": file,
                "line": line,
                "offset": crate::places::Places::new(&text).unit(at),
                "excerpt": excerpt,
            }));
        }
    }
    Ok(json!({"usage": out}))
}

fn definition(studio: &Studio, file: &str, text: &str, offset: u32) -> Answer {
    let Some((path, range)) = studio.language.definition(file, text, offset) else {
        return Ok(json!({"found": null}));
    };
    let mut desk = studio.desk();
    let text = match desk.file(&path) {
        Ok(file) => file.text.clone(),
        Err(_) => return Ok(json!({"found": null})),
    };
    let (from, to) = language::range(&text, &range).unwrap_or_default();
    let byte = crate::places::Places::new(&text).byte(from);
    let class = kausal_edit::Source::new(&text).class_at(byte);
    Ok(json!({"found": {"file": path, "from": from, "to": to, "class": class}}))
}

/// Classes that fit a replaceable one: those that extend its constraining class.
fn matching(studio: &Studio, given: &Given<'_>) -> Answer {
    const MOST: usize = 300;
    let (class, component, name) = (given.text("class")?, given.or("component", ""), given.text("name")?);
    let mut desk = studio.desk();
    let dialog = desk.session().dialog(class, component);
    let entry = dialog.and_then(|d| d.entries.into_iter().find(|e| e.path == name));
    let constraint = entry.map(|e| e.constraint).unwrap_or_default();
    let found = {
        let catalogue = studio.catalogue.read().unwrap_or_else(PoisonError::into_inner);
        catalogue.extending(&constraint, MOST)
    };
    let mut choices = Vec::new();
    for (full, words) in found {
        let Some(listed) = desk.session().listed_class(&full) else { continue };
        if listed.partial || !desk.session().extends(&full, &constraint) {
            continue;
        }
        // Many say the same of themselves: the name tells them apart.
        let name = full.rsplit('.').next().unwrap_or(&full);
        let label = if words.is_empty() { full.clone() } else { format!("{name} — {words}") };
        choices.push(json!({"value": full, "label": label}));
    }
    Ok(json!({"choices": choices}))
}

/// What flattening and translation say.
fn check(studio: &Studio, class: &str) -> Answer {
    match studio.model(class) {
        Ok(model) => {
            let diagnostics = crate::runs::located(studio, &model.located(&model.diagnostics()));
            let flat = model.flat();
            let unknowns = flat.variables.len();
            Ok(
                json!({"diagnostics": diagnostics, "equations": flat.equations.len(), "unknowns": unknowns, "balanced": true}),
            )
        }
        Err(error) => Ok(
            json!({"diagnostics": studio.located(&error), "equations": 0, "unknowns": 0, "balanced": false}),
        ),
    }
}

fn scene(studio: &Studio, number: u64) -> Answer {
    let run = studio.runs.get(number)?;
    let mut desk = studio.desk();
    let animation = run.result(|result| desk.session().animation(run.class(), result));
    let animation = animation.map_err(|d| {
        let status = axum::http::StatusCode::UNPROCESSABLE_ENTITY;
        let mut failure = Failure::new(status, d.code, d.message);
        failure.body["help"] = json!(d.help);
        failure
    })?;
    let packed = kausal::animate::packed;
    let shapes: Vec<Value> = animation
        .shapes
        .iter()
        .map(|s| {
            json!({
                "name": s.name,
                "kind": s.kind,
                "mesh": s.mesh,
                "position": packed(&s.position.data),
                "rotation": packed(&s.rotation.data),
                "size": packed(&s.size.data),
                "color": packed(&s.color.data),
            })
        })
        .collect();
    let signals: Vec<Value> = animation
        .signals
        .iter()
        .map(|s| json!({"name": s.name, "unit": s.unit, "values": packed(&s.values)}))
        .collect();
    Ok(json!({
        "title": animation.title,
        "time": packed(&animation.time),
        "up": animation.up,
        "shapes": shapes,
        "meshes": animation.meshes.iter().map(|m| packed(&m.corners)).collect::<Vec<_>>(),
        "signals": signals,
    }))
}

fn csv(result: &kausal::Trajectory, names: &[String]) -> String {
    let mut out = String::new();
    let signals: Vec<&kausal::result::Signal> = match names.is_empty() {
        true => result.signals.iter().collect(),
        false => names.iter().filter_map(|n| result.signal(n)).collect(),
    };
    let quoted = |name: &str| match name.contains([',', '"', '\n']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    };
    out.push_str("time");
    for signal in &signals {
        out.push(',');
        out.push_str(&quoted(&signal.name));
    }
    out.push('\n');
    for (row, time) in result.time.iter().enumerate() {
        out.push_str(&time.to_string());
        for signal in &signals {
            out.push(',');
            out.push_str(&result.value(signal, row).to_string());
        }
        out.push('\n');
    }
    out
}
