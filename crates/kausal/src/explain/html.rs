//! The explanation as a page: one file, nothing loaded from elsewhere.
//!
//! The incidence matrix (which equation has which unknown) as the model has it, sorted into blocks, and with the
//! tearing variables of each block last; every loop with its equations; operations by component; the words of
//! [`super::text`]; the sorted and solved equations.

use std::collections::BTreeMap;

use kausal_model::FlatModel;
use kausal_symbolic::VarId;
use kausal_symbolic::print::print_limited;
use kausal_syntax::Sources;
use kausal_translate::Program;
use kausal_translate::program::{EquationRef, Form, Step, System};
use serde::Serialize;

use super::{Extent, how, kind};
use crate::plot::svg::escape;

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
/// Characters of a formula, and of the listing: what is longer is not read in a browser.
const WIDTH: usize = 160;
const LISTING: usize = 1_500_000;

#[derive(Serialize)]
struct Data<'a> {
    equations: Vec<String>,
    places: Vec<String>,
    unknowns: Vec<&'a str>,
    /// The columns of each row.
    entries: Vec<Vec<u32>>,
    blocks: Vec<Block>,
    /// Rows and columns in the order of the model.
    rows_before: Vec<u32>,
    columns_before: Vec<u32>,
    components: Vec<(String, u64)>,
}

/// A stretch of the diagonal.
#[derive(Serialize)]
struct Block {
    start: usize,
    size: usize,
    torn: usize,
    kind: &'static str,
    how: &'static str,
    unknowns: Vec<String>,
}

/// The sorted equations with what each is solved for, and the blocks they form.
#[derive(Default)]
struct Sorted {
    rows: Vec<EquationRef>,
    columns: Vec<VarId>,
    blocks: Vec<Block>,
}

/// The page.
pub fn write(flat: &FlatModel, program: &Program, sources: &Sources) -> String {
    let sorted = sorted(program);
    let mut place = vec![None; program.variables.len()];
    for (i, v) in sorted.columns.iter().enumerate() {
        place[v.index()] = Some(i as u32);
    }
    let name = |v: VarId| program.variables[v.index()].name.clone();
    let writer = super::Writer { flat, program, sources, extent: Extent { equations: 0 } };
    let (mut equations, mut places, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    let mut components: BTreeMap<String, u64> = BTreeMap::new();
    for row in &sorted.rows {
        let info = &program.equations[row.0 as usize];
        let side = |e| print_limited(&program.pool, e, &name, WIDTH);
        equations.push(format!("{} = {}", side(info.lhs), side(info.rhs)));
        places.push(writer.place(&info.origin).trim().to_owned());
        let mut columns: Vec<u32> = [info.lhs, info.rhs]
            .iter()
            .flat_map(|e| program.pool.variables_of(*e))
            .filter_map(|v| place[v.index()])
            .collect();
        columns.sort_unstable();
        columns.dedup();
        entries.push(columns);
        let part = info.origin.component.split('.').next().unwrap_or_default();
        let count = kausal_symbolic::count::shared_operations(&program.pool, &[info.lhs, info.rhs]).total();
        *components.entry(part.to_owned()).or_default() += count;
    }
    let mut components: Vec<(String, u64)> = components.into_iter().filter(|(_, n)| *n > 0).collect();
    components.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let order = |key: &dyn Fn(usize) -> u32, n: usize| {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|i| key(*i as usize));
        order
    };
    let data = Data {
        rows_before: order(&|i| sorted.rows[i].0, sorted.rows.len()),
        columns_before: order(&|i| sorted.columns[i].0, sorted.columns.len()),
        unknowns: sorted.columns.iter().map(|v| program.variables[v.index()].name.as_str()).collect(),
        equations,
        places,
        entries,
        blocks: sorted.blocks,
        components,
    };
    // `<` as an escape: no text of the model can end the script.
    let json = serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c");
    let words = super::text(flat, program, sources, Extent { equations: 20 });
    let mut listing = crate::listing(program);
    if listing.len() > LISTING {
        let at = (0..=LISTING).rev().find(|&at| listing.is_char_boundary(at)).unwrap_or(0);
        listing.truncate(at);
        listing.push_str("\n… kausal translate --listing prints all of it\n");
    }
    PAGE.replace("{{title}}", &escape(&program.name))
        .replace("{{style}}", STYLE)
        .replace("{{script}}", SCRIPT)
        .replace("{{words}}", &escape(&words))
        .replace("{{listing}}", &escape(&listing))
        .replace("{{data}}", &json)
}

fn sorted(program: &Program) -> Sorted {
    let mut sorted = Sorted::default();
    for step in program.dynamics.iter().chain(&program.outputs) {
        match step {
            Step::Assign(a) => {
                if let Some(equation) = a.equation {
                    sorted.add(
                        program,
                        vec![equation],
                        vec![a.variable],
                        0,
                        "explicit",
                        "solved for its unknown",
                    );
                }
            }
            Step::System(system) => {
                let (rows, columns) = torn_order(system);
                let torn = system.tearing_variables.len();
                sorted.add(program, rows, columns, torn, kind(system), how(system));
            }
            _ => {}
        }
    }
    sorted
}

impl Sorted {
    fn add(
        &mut self,
        program: &Program,
        rows: Vec<EquationRef>,
        columns: Vec<VarId>,
        torn: usize,
        kind: &'static str,
        how: &'static str,
    ) {
        let size = rows.len().min(columns.len());
        let names = columns.iter().take(20).map(|v| program.variables[v.index()].name.clone()).collect();
        let torn = torn.min(size);
        self.blocks.push(Block { start: self.rows.len(), size, torn, kind, how, unknowns: names });
        self.rows.extend(rows.into_iter().take(size));
        self.columns.extend(columns.into_iter().take(size));
    }
}

/// Rows and columns of a system in the order they are computed, what is torn last.
fn torn_order(system: &System) -> (Vec<EquationRef>, Vec<VarId>) {
    let steps = match &system.form {
        Form::Linear { steps, .. } => steps,
        Form::Nonlinear(n) => &n.steps,
        Form::Mixed { continuous, .. } => continuous,
    };
    let (mut rows, mut columns) = (Vec::new(), Vec::new());
    for step in steps {
        if let Step::Assign(a) = step
            && let Some(equation) = a.equation
            && system.equations.contains(&equation)
            && system.unknowns.contains(&a.variable)
            && !rows.contains(&equation)
            && !columns.contains(&a.variable)
            && !system.residuals.contains(&equation)
            && !system.tearing_variables.contains(&a.variable)
        {
            rows.push(equation);
            columns.push(a.variable);
        }
    }
    let others = |e: &&EquationRef| !rows.contains(e) && !system.residuals.contains(e);
    let middle: Vec<EquationRef> = system.equations.iter().filter(others).copied().collect();
    let other = |v: &&VarId| !columns.contains(v) && !system.tearing_variables.contains(v);
    let between: Vec<VarId> = system.unknowns.iter().filter(other).copied().collect();
    rows.extend(middle);
    rows.extend(&system.residuals);
    columns.extend(between);
    columns.extend(&system.tearing_variables);
    (rows, columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Session;

    #[test]
    fn the_page_has_the_matrix_and_the_words() {
        let mut session = Session::new();
        let text = "model M
  Real x(start = 1, fixed = true), a, b, 'c<d>';
equation
  der(x) = a;
  a + sin(b) = x;
  a*b + b = 1;
  'c<d>' = 2*a + b;
end M;";
        session.add_text("M.mo", text);
        let flat = session.flatten("M").expect("a correct model");
        let program = session.translate(&flat, &Default::default()).expect("a regular model");
        let page = write(&flat, &program, session.sources());
        assert!(!page.contains("http") && !page.contains("{{") && !page.contains("c<d>"));
        let start = page.find("id=\"data\">").unwrap() + 10;
        let json = &page[start..start + page[start..].find("</script>").unwrap()];
        let data: serde_json::Value = serde_json::from_str(json).unwrap();
        let n = data["equations"].as_array().unwrap().len();
        assert_eq!(data["unknowns"].as_array().unwrap().len(), n);
        assert_eq!(data["entries"].as_array().unwrap().len(), n);
        let blocks = data["blocks"].as_array().unwrap();
        let size: u64 = blocks.iter().map(|b| b["size"].as_u64().unwrap()).sum();
        assert_eq!(size as usize, n);
        // Block lower triangular: nothing to the right of a block.
        for block in blocks {
            let (start, size) = (block["start"].as_u64().unwrap(), block["size"].as_u64().unwrap());
            for row in start..start + size {
                let last = data["entries"][row as usize].as_array().unwrap().last().cloned();
                assert!(last.is_none_or(|c| c.as_u64().unwrap() < start + size), "{block}");
            }
        }
        assert!(blocks.iter().any(|b| b["kind"] == "nonlinear"), "{blocks:?}");
    }
}
