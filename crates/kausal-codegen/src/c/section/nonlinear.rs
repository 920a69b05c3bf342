//! Nonlinear systems in C: Newton's iteration, and whether what follows from it has digits.

use kausal_symbolic::VarId;
use kausal_translate::program::{Guard, Nonlinear};
use rustc_hash::FxHashSet;

use super::{Phase, Sections, wrap};
use crate::c::body::Statements;
use crate::c::explain;
use crate::c::text::{literal, string};
use crate::chunk::Error;

/// Newton iterations at most where nobody waits: at the start and at events.
const UNHURRIED_ITERATIONS: u32 = 100;

impl Sections<'_> {
    /// A system that is iterated, with all its unknowns.
    pub(super) fn nonlinear(
        &mut self,
        nonlinear: &Nonlinear,
        all: &[VarId],
        out: &mut Statements,
    ) -> Result<(), Error> {
        let (k, n) = (self.number(), nonlinear.unknowns.len());
        let mut residuals = Statements::default();
        self.iterations += 1;
        self.steps(&nonlinear.steps, &mut residuals)?;
        self.iterations -= 1;
        self.function(&format!("static int system_{k}(void *model_)"), residuals, true);
        if let Some(torn) = self.functions.last_mut() {
            torn.insert_str(0, &format!("/* {} */\n", explain::torn(self.program, nonlinear)));
        }
        let jacobian = match &nonlinear.jacobian {
            None => "0".to_owned(),
            Some(jacobian) => {
                let mut entries = Statements::default();
                self.steps(&jacobian.steps, &mut entries)?;
                entries.push(format!("for (int i = 0; i < {}; i++) matrix[i] = 0.0;", n * n));
                for &(row, column, value) in &jacobian.entries {
                    let at = row as usize * n + column as usize;
                    entries.push(format!("matrix[{at}] = v[{}]; /* {} */", value.0, self.name(value)));
                }
                let name = format!("system_{k}_jacobian");
                self.function(&format!("static int {name}(void *model_, double *matrix)"), entries, true);
                name
            }
        };
        let list = |items: Vec<String>| items.join(", ");
        let slots = |variables: &[VarId]| list(variables.iter().map(|v| v.0.to_string()).collect());
        let numbers = |of: fn(&kausal_translate::program::Variable) -> f64| {
            let variables = &self.program.variables;
            list(
                nonlinear
                    .unknowns
                    .iter()
                    .map(|v| variables.get(v.index()).map_or(0.0, of))
                    // What is infinite is no constant of a table on a device.
                    .map(|x| if self.device { x.clamp(f64::MIN, f64::MAX) } else { x })
                    .map(literal)
                    .collect(),
            )
        };
        let message = format!(
            "nonlinear system {k} ({}) has no solution near the last one",
            self.unknowns(&nonlinear.unknowns)
        );
        let most = if self.phase == Phase::Step { self.settings.iterations } else { UNHURRIED_ITERATIONS };
        let lines = [
            "{".to_owned(),
            format!("    static const int unknown[{n}] = {{{}}};", slots(&nonlinear.unknowns)),
            format!("    static const int residual[{n}] = {{{}}};", slots(&nonlinear.residuals)),
            format!("    static const double nominal[{n}] = {{{}}};", numbers(|v| v.nominal)),
            format!("    static const double min[{n}] = {{{}}};", numbers(|v| v.min)),
            format!("    static const double max[{n}] = {{{}}};", numbers(|v| v.max)),
            format!(
                "    {} kausal_system system = {{{n}, {most}, unknown, residual, nominal, min, max, system_{k}, {jacobian}}};",
                // Addresses of functions are no constants on a device.
                if self.device { "const" } else { "static const" }
            ),
        ];
        out.lines.extend(lines);
        let work = self.array("double", "work", k, n * (n + 4), out);
        out.push(format!("    int pivot[{n}];"));
        let hurried = format!(
            "nonlinear system {k} ({}) needs more than {most} iterations",
            self.unknowns(&nonlinear.unknowns)
        );
        out.push(format!("    const int failed = kausal_newton(&system, m, v, {work}, pivot);"));
        out.push("    if (failed) {");
        out.push(format!("        m->message = failed == 4 ? {} : {};", string(&hurried), string(&message)));
        out.push("        return 1;");
        out.push("    }");
        self.digits(k, nonlinear, all, out);
        out.push("}");
        Ok(())
    }

    /// Fails where what follows from the iteration variables has lost its digits. Systems inside others are not looked at: what
    /// they lose is lost in those.
    fn digits(&mut self, k: usize, nonlinear: &Nonlinear, all: &[VarId], out: &mut Statements) {
        let looked_at = self.looked_at(nonlinear, all);
        if looked_at.is_empty() || self.iterations > 0 {
            return;
        }
        let (n, count) = (nonlinear.unknowns.len(), looked_at.len());
        let slots: Vec<String> = looked_at.iter().map(|v| v.0.to_string()).collect();
        let nominal = |v: &VarId| self.program.variables.get(v.index()).map_or(1.0, |v| v.nominal);
        let sizes: Vec<String> = looked_at.iter().map(|v| literal(nominal(v))).collect();
        let message = format!(
            "nonlinear system {k} ({}) has lost its digits: translate it with --tearing off",
            self.unknowns(&nonlinear.unknowns)
        );
        let mut indent = "    ";
        if self.phase.is_continuous() {
            self.fields.push(format!("int unlooked_{k}; /* solutions until digits are looked at */"));
            out.push(format!("    if (m->unlooked_{k}-- <= 0) {{"));
            indent = "        ";
        }
        out.push(format!("{indent}static const int follows[{count}] = {{{}}};", wrap(slots.into_iter())));
        out.push(format!("{indent}static const double size[{count}] = {{{}}};", wrap(sizes.into_iter())));
        let before = self.array("double", "before", k, n + count, out);
        out.push(format!(
            "{indent}if (kausal_digits_lost(&system, m, v, {count}, follows, size, {before})) {{ m->message = {}; return 1; }}",
            string(&message)
        ));
        if self.phase.is_continuous() {
            out.push(format!("        m->unlooked_{k} = {};", Guard::OFTEN - 1));
            out.push("    }");
        }
    }

    /// What must have digits: states in a step, for it is made for them, and else all that follows from the iteration
    /// variables.
    fn looked_at(&self, nonlinear: &Nonlinear, all: &[VarId]) -> Vec<VarId> {
        if all.iter().all(|v| nonlinear.unknowns.contains(v)) {
            return Vec::new();
        }
        let stages = self.program.discretized.iter().flat_map(|d| &d.stages).flat_map(|stage| &stage.states);
        let states = self.program.states.iter().chain(stages);
        let states: FxHashSet<VarId> = states.map(|state| state.variable).collect();
        let of_step = self.phase == Phase::Step && all.iter().any(|v| states.contains(v));
        let follows = |v: &VarId| !nonlinear.unknowns.contains(v) && (!of_step || states.contains(v));
        all.iter().copied().filter(follows).collect()
    }
}
