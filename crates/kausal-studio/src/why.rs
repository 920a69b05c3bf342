//! Why: what the translation did, linearisation with its pictures, sweeps.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::failure::{Answer, Failure};
use crate::studio::Studio;

/// A failure of a model for the page.
pub fn failed(studio: &Studio, error: &kausal::Error) -> Failure {
    let message =
        error.diagnostics().iter().find(|d| d.is_error()).map_or("it failed", |d| d.message.as_str());
    let body = json!({"code": error.code(), "message": message, "diagnostics": studio.located(error)});
    Failure { status: axum::http::StatusCode::UNPROCESSABLE_ENTITY, body }
}

fn equation(studio: &Studio, e: &Value, fate: &str) -> Value {
    let mut out = json!({"text": e["equation"], "component": e["component"], "fate": fate});
    if let (Some(file), Some(line)) = (e["file"].as_str(), e["line"].as_u64()) {
        out["file"] = json!(file);
        out["line"] = json!(line);
        let files = kausal::files::WithBuffers(studio.places.buffers.clone());
        if let Some(text) = kausal::files::read(&files, file) {
            let units = crate::places::Places::new(&text);
            let at = |line: usize| units.unit(crate::places::byte_at(&text, line, 1) as u32);
            out["from"] = json!(at(line as usize));
            out["to"] = json!(at(line as usize + 1).saturating_sub(1));
        }
    }
    out
}

/// The explanation of a model; of one without a unique solution, why there is none.
pub fn explain(studio: &Studio, class: &str) -> Answer {
    let model = match studio.model(class) {
        Ok(model) => model,
        Err(error) => return Ok(unsolvable(studio, class, &error)),
    };
    let explanation = model.explanation().map_err(|e| failed(studio, &e))?;
    let e = serde_json::to_value(&explanation).unwrap_or_default();
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let states: Vec<Value> = list(&e["states"])
        .iter()
        .map(|s| json!({"name": s["name"], "reason": s["why"], "component": component(s["name"].as_str().unwrap_or_default())}))
        .collect();
    let loops: Vec<Value> = list(&e["loops"])
        .iter()
        .enumerate()
        .map(|(i, l)| {
            let words = format!("in loop {}", i + 1);
            let equations: Vec<Value> = list(&l["equations"]).iter().map(|e| equation(studio, e, &words)).collect();
            json!({
                "section": l["section"],
                "kind": l["kind"],
                "size": list(&l["unknowns"]).len(),
                "torn": list(&l["tearing_variables"]).len(),
                "iterationVariables": l["tearing_variables"],
                "components": components(&equations),
                "equations": equations,
                "reason": format!("{}{}", l["how"].as_str().unwrap_or_default(), l["why"].as_str().map(|w| format!(": {w}")).unwrap_or_default()),
            })
        })
        .collect();
    Ok(json!({
        "class": class,
        "unknowns": e["unknowns"],
        "equations": e["equations"],
        "states": states,
        "loops": loops,
        "failed": false,
        "diagnostics": crate::runs::located(studio, &model.located(&model.diagnostics())),
        "page": model.report().map_err(|e| failed(studio, &e))?,
        "text": model.explain().map_err(|e| failed(studio, &e))?,
    }))
}

fn unsolvable(studio: &Studio, class: &str, error: &kausal::Error) -> Value {
    json!({
        "class": class, "unknowns": 0, "equations": 0, "states": [], "loops": [], "failed": true,
        "diagnostics": studio.located(error), "page": "", "text": error.to_string(),
    })
}

/// The first part of a path: the component of the model.
fn component(name: &str) -> String {
    let inner = name.strip_prefix("der(").unwrap_or(name);
    match inner.split_once('.') {
        Some((first, _)) => first.split('[').next().unwrap_or_default().to_owned(),
        None => String::new(),
    }
}

fn components(equations: &[Value]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for e in equations {
        let name = e["component"].as_str().unwrap_or_default();
        let first = name.split(['.', '[']).next().unwrap_or_default();
        if !first.is_empty() && !out.iter().any(|c| c == first) {
            out.push(first.to_owned());
        }
    }
    out
}

/// The equations and variables of a component.
pub fn of_component(studio: &Studio, class: &str, component: &str) -> Answer {
    let model = studio.model(class).map_err(|e| failed(studio, &e))?;
    let flat = serde_json::to_value(model.flattened()).unwrap_or_default();
    let inside = |name: &str| {
        name == component || name.strip_prefix(component).is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    let equations: Vec<Value> = flat["equations"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|e| e["component"].as_str().is_some_and(inside))
        .map(|e| equation(studio, e, ""))
        .collect();
    let variables: Vec<&str> = flat["variables"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|v| v["name"].as_str())
        .filter(|n| inside(n))
        .collect();
    Ok(json!({"equations": equations, "variables": variables}))
}

/// A linear model with its poles and frequency responses.
pub fn linearize(studio: &Studio, class: &str, request: &Value) -> Answer {
    let model = studio.model(class).map_err(|e| failed(studio, &e))?;
    let names = |key: &str| -> Option<Vec<String>> {
        let list = request[key].as_array()?;
        Some(list.iter().filter_map(|v| v.as_str().map(str::to_owned)).collect())
    };
    let mut linearize = model.linearize();
    if let Some(t) = request["at"].as_f64() {
        linearize = linearize.at(t);
    }
    if let Some(inputs) = names("inputs") {
        linearize = linearize.inputs(inputs);
    }
    if let Some(outputs) = names("outputs") {
        linearize = linearize.outputs(outputs);
    }
    let l = linearize.run().map_err(|e| failed(studio, &e))?;
    let (n, m, p) = (l.states.len(), l.inputs.len(), l.outputs.len());
    let rows = |data: &[f64], rows: usize, width: usize| -> Vec<Vec<f64>> {
        (0..rows).map(|i| data[i * width..(i + 1) * width].to_vec()).collect()
    };
    let poles: Vec<Value> = l
        .poles
        .iter()
        .map(|&(re, im)| {
            let size = re.hypot(im);
            let damping = if size > 0.0 { -re / size } else { 1.0 };
            json!({"re": re, "im": im, "frequency": size / std::f64::consts::TAU, "damping": damping})
        })
        .collect();
    let mut bode = Vec::new();
    let frequencies = around(&l.poles);
    for (j, input) in l.inputs.iter().enumerate() {
        let responses: Vec<Vec<(f64, f64)>> =
            frequencies.iter().map(|f| response(&l, n, m, j, std::f64::consts::TAU * f)).collect();
        for (i, output) in l.outputs.iter().enumerate().take(p) {
            let values: Vec<(f64, f64)> = responses.iter().map(|r| r[i]).collect();
            if values.iter().all(|v| *v == (0.0, 0.0)) {
                // Nothing of this input reaches that output.
                continue;
            }
            let magnitude: Vec<f64> =
                values.iter().map(|(re, im)| 20.0 * re.hypot(*im).max(1e-300).log10()).collect();
            let mut phase: Vec<f64> = values.iter().map(|(re, im)| im.atan2(*re).to_degrees()).collect();
            // A phase does not jump.
            for k in 1..phase.len() {
                phase[k] -= 360.0 * ((phase[k] - phase[k - 1]) / 360.0).round();
            }
            bode.push(json!({"input": input, "output": output, "frequency": frequencies, "magnitude": magnitude, "phase": phase}));
        }
    }
    Ok(json!({
        "states": l.states, "inputs": l.inputs, "outputs": l.outputs,
        "a": rows(&l.a, n, n), "b": rows(&l.b, n, m), "c": rows(&l.c, p, n), "d": rows(&l.d, p, m),
        "poles": poles, "bode": bode,
    }))
}

/// Frequencies in Hz, two decades around the poles.
fn around(poles: &[(f64, f64)]) -> Vec<f64> {
    let sizes = poles.iter().map(|(re, im)| re.hypot(*im) / std::f64::consts::TAU).filter(|s| *s > 1e-12);
    let (low, high) = sizes.fold((f64::INFINITY, 0.0f64), |(a, b), s| (a.min(s), b.max(s)));
    let (low, high) = if low.is_finite() { (low / 100.0, high * 100.0) } else { (0.01, 100.0) };
    let count = 400;
    (0..count).map(|i| low * (high / low).powf(f64::from(i) / f64::from(count - 1))).collect()
}

/// C (iω - A)⁻¹ b + d for one input: real and imaginary part of each output. Solved as one real system of twice the order.
fn response(l: &kausal::linearize::Linearization, n: usize, m: usize, j: usize, w: f64) -> Vec<(f64, f64)> {
    let size = 2 * n;
    let mut a = vec![0.0; size * (size + 1)];
    let at = |row: usize, column: usize| row * (size + 1) + column;
    for r in 0..n {
        for c in 0..n {
            a[at(r, c)] = -l.a[r * n + c];
            a[at(n + r, n + c)] = -l.a[r * n + c];
        }
        a[at(r, n + r)] = -w;
        a[at(n + r, r)] = w;
        a[at(r, size)] = l.b[r * m + j];
    }
    for k in 0..size {
        let pivot = (k..size).max_by(|&x, &y| a[at(x, k)].abs().total_cmp(&a[at(y, k)].abs())).unwrap_or(k);
        for c in 0..=size {
            a.swap(at(k, c), at(pivot, c));
        }
        let p = a[at(k, k)];
        for r in k + 1..size {
            let f = a[at(r, k)] / p;
            if f != 0.0 {
                for c in k..=size {
                    a[at(r, c)] -= f * a[at(k, c)];
                }
            }
        }
    }
    let mut x = vec![0.0; size];
    for k in (0..size).rev() {
        let sum: f64 = (k + 1..size).map(|c| a[at(k, c)] * x[c]).sum();
        x[k] = (a[at(k, size)] - sum) / a[at(k, k)];
    }
    (0..l.outputs.len())
        .map(|i| {
            let row = &l.c[i * n..(i + 1) * n];
            let re: f64 = row.iter().zip(&x[..n]).map(|(c, x)| c * x).sum();
            let im: f64 = row.iter().zip(&x[n..]).map(|(c, x)| c * x).sum();
            (re + l.d[i * m + j], im)
        })
        .collect()
}

/// Runs with other values each: at most a hundred curves.
pub fn sweep(studio: &Studio, class: &str, request: &Value) -> Answer {
    const MOST: usize = 400;
    let model = studio.model(class).map_err(|e| failed(studio, &e))?;
    let names: Vec<String> = request["names"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|v| v.as_str().map(str::to_owned))
        .collect();
    let mut axes: Vec<(String, Vec<f64>)> = Vec::new();
    for (name, range) in request["vary"].as_object().into_iter().flatten() {
        let (Some(from), Some(to)) = (range["from"].as_f64(), range["to"].as_f64()) else {
            return Err(Failure::bad("a range has from, to and count"));
        };
        let count = range["count"].as_u64().unwrap_or(5).clamp(1, 100) as usize;
        let step = if count > 1 { (to - from) / (count - 1) as f64 } else { 0.0 };
        axes.push((name.clone(), (0..count).map(|i| from + step * i as f64).collect()));
    }
    let total: usize = axes.iter().map(|(_, v)| v.len()).product();
    if axes.is_empty() || total > MOST {
        return Err(Failure::bad(format!("a sweep here has 1 to {MOST} runs: `kausal sweep` makes more")));
    }
    let settings = request["settings"].clone();
    let mut columns: Vec<String> = axes.iter().map(|(n, _)| n.clone()).collect();
    columns.extend(names.iter().cloned());
    let (mut rows, mut curves) = (Vec::new(), Vec::new());
    for index in 0..total {
        let mut rest = index;
        let mut values = std::collections::BTreeMap::new();
        for (name, list) in &axes {
            values.insert(name.clone(), json!(list[rest % list.len()]));
            rest /= list.len();
        }
        let one = crate::runs::with(&model, &values).map_err(|e| failed(studio, &e))?;
        let run = crate::runs::configured(&one, &settings)?.run();
        let solution = match &run {
            Ok(solution) => Some(solution),
            Err(error) => error.partial(),
        };
        let mut row: Vec<Value> = axes.iter().map(|(n, _)| values[n].clone()).collect();
        let mut found = Map::new();
        for name in &names {
            let column = solution.and_then(|s| s.get(name));
            row.push(json!(column.and_then(<[f64]>::last)));
            found.insert(name.clone(), json!(column));
        }
        rows.push(Value::Array(row));
        let time = solution.map(kausal::Solution::time).unwrap_or_default();
        curves.push(json!({"values": values, "time": time, "columns": found}));
    }
    Ok(json!({"columns": columns, "rows": rows, "curves": curves}))
}

/// Frequencies and amplitudes of equally spaced values over a duration; their number is a power of two (Cooley and Tukey, 1965).
pub fn spectrum(values: &[f64], duration: f64) -> (Vec<f64>, Vec<f64>) {
    let n = values.len();
    let bits = n.trailing_zeros();
    let mut re = vec![0.0; n];
    let mut im = vec![0.0; n];
    for (i, value) in values.iter().enumerate() {
        re[i.reverse_bits() >> (usize::BITS - bits)] = *value;
    }
    let mut size = 2;
    while size <= n {
        let angle = -std::f64::consts::TAU / size as f64;
        for start in (0..n).step_by(size) {
            for k in 0..size / 2 {
                let (s, c) = (angle * k as f64).sin_cos();
                let (a, b) = (start + k, start + k + size / 2);
                let (x, y) = (c * re[b] - s * im[b], c * im[b] + s * re[b]);
                (re[b], im[b]) = (re[a] - x, im[a] - y);
                (re[a], im[a]) = (re[a] + x, im[a] + y);
            }
        }
        size *= 2;
    }
    let amplitude = |i: usize| re[i].hypot(im[i]) / n as f64 * if i == 0 { 1.0 } else { 2.0 };
    ((0..n / 2).map(|i| i as f64 / duration).collect(), (0..n / 2).map(amplitude).collect())
}

/// The values of components at an instant, for the diagram.
pub fn values(studio: &Studio, number: u64, time: f64) -> Answer {
    let run = studio.runs.get(number)?;
    let class = run.class().to_owned();
    let display = run.display_units();
    let steps = run.steps();
    let mut desk = studio.desk();
    let mut components: HashMap<String, Vec<Value>> = HashMap::new();
    let svg = run.result(|result| {
        for signal in &result.signals {
            // What a person looks for first: the variables of a component itself, not of what is in it.
            let Some((first, rest)) = signal.name.split_once('.') else { continue };
            if rest.contains(['.', '[', '(']) || !matches!(signal.values, kausal::result::Values::Column(..))
            {
                continue;
            }
            let list = components.entry(first.to_owned()).or_default();
            if list.len() < 4
                && let Some(value) =
                    kausal::draw::sampled(result, &signal.name, time, steps.contains(&signal.name))
            {
                let text = kausal::draw::units::quantity(
                    value,
                    &signal.unit,
                    display.get(&signal.name).map_or("", String::as_str),
                );
                list.push(json!({"name": rest, "text": text}));
            }
        }
        let mut svg = Map::new();
        let still: HashMap<String, String> =
            desk.session().shown(&class, &|_| true).into_iter().map(|c| (c.name, c.svg)).collect();
        for shown in desk.session().shown_at(&class, (result, time), &|_| true) {
            if still.get(&shown.name).is_some_and(|s| *s != shown.svg) {
                svg.insert(shown.name, json!(shown.svg));
            }
        }
        svg
    });
    Ok(json!({"run": number, "time": time, "components": components, "svg": svg}))
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_sine_has_one_line() {
        let n = 256;
        let wave = |i: usize| 1.0 + 3.0 * (std::f64::consts::TAU * 5.0 * i as f64 / n as f64).sin();
        let (frequency, amplitude) = super::spectrum(&(0..n).map(wave).collect::<Vec<_>>(), 2.0);
        assert!((frequency[5] - 2.5).abs() < 1e-12);
        for (i, a) in amplitude.iter().enumerate() {
            let expected = [(0, 1.0), (5, 3.0)].iter().find(|(k, _)| *k == i).map_or(0.0, |(_, a)| *a);
            assert!((a - expected).abs() < 1e-12, "{i} {a}");
        }
    }
}
