//! Sub-clock inference (specification section 16.7.5): how the clocks of one base clock are related, exactly.
//!
//! Clock `i` ticks at `S_i + k*T_i`, `k = 0, 1, …`. A conversion operator with known numbers makes `T` and `S` of its result a
//! linear function of those of its argument, so clocks that such operators connect form a group that has one unknown period
//! and start. A constructor `Clock(…)` determines them; conversions whose factor is inferred are checked afterwards.

use std::cmp::Ordering;

use kausal_model::flat::Origin;
use kausal_symbolic::function::Scalar;
use kausal_symbolic::{ExprId, VarId};
use kausal_syntax::Diagnostic;
use rustc_hash::FxHashMap;

use super::graph::{Constructor, Edge, Graph, NodeId, is_unknown};
use super::operators::{Conversion, as_variable};
use super::rational::{Rational, least_common_multiple};
use crate::equations::parameters::number;
use crate::equations::work::Work;

/// When the clocks of a base clock tick.
#[derive(Clone, Debug)]
pub(crate) struct Rates {
    pub trigger: Trigger,
    /// Periods and shifts are multiples of the unit of the trigger divided by this.
    pub resolution: i64,
    /// Period and shift of each clock.
    pub clocks: Vec<(i64, i64)>,
}

/// What makes a base clock tick.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Trigger {
    /// The unit is this time, an expression of parameters.
    Periodic(ExprId),
    /// The unit is the distance of two ticks, which the model computes: its variable, and what to divide it by.
    Varying(VarId, Option<f64>),
    /// The unit is one rising edge of the condition; the first interval.
    Event(ExprId, Option<ExprId>),
}

/// What a constructor says.
enum Said {
    Nothing,
    Exactly(Rational),
    By(Trigger),
}

/// Period and start of a clock.
type Beat = (Rational, Rational);

/// What all steps need.
struct Inference<'a> {
    work: &'a Work,
    values: &'a FxHashMap<VarId, f64>,
    graph: &'a Graph,
    classes: &'a [NodeId],
}

/// Finds out when the clocks of one base tick. A warning where a default is used.
pub(crate) fn infer(
    work: &mut Work,
    values: &FxHashMap<VarId, f64>,
    graph: &Graph,
    classes: &[NodeId],
) -> Result<(Rates, Option<Diagnostic>), Diagnostic> {
    let one = work.pool.constant(1.0);
    let inference = Inference { work, values, graph, classes };
    let edges: Vec<(usize, usize, &Edge)> = graph
        .edges
        .iter()
        .filter_map(|e| Some((inference.place(e.result)?, inference.place(e.argument)?, e)))
        .collect();
    let groups = inference.groups(&edges)?;
    let (trigger, beats, warning) = inference.beats(&groups, one)?;
    inference.check(&edges, &beats)?;
    inference.in_units(trigger, &beats).map(|rates| (rates, warning))
}

/// Clocks in groups: for each clock its group, and period and start in terms of those of the group.
struct Groups {
    of: Vec<usize>,
    relative: Vec<Beat>,
    count: usize,
}

impl Inference<'_> {
    fn place(&self, node: NodeId) -> Option<usize> {
        self.classes.binary_search(&self.graph.class(node)).ok()
    }

    /// A whole number that conversion operators are given.
    fn count(&self, e: ExprId, origin: &Origin) -> Result<i64, Diagnostic> {
        let value = number(self.work, e, self.values);
        match value.filter(|x| x.fract() == 0.0 && (0.0..9e15).contains(x)) {
            Some(x) => Ok(x as i64),
            None => {
                let message = "a factor or counter of a clock is not known at translation as a whole number";
                Err(at(Diagnostic::error("K0462", message), origin, "used here"))
            }
        }
    }

    /// How period and start of the result follow from those of the argument; `None` where that is inferred.
    fn relation(&self, edge: &Edge) -> Result<Option<Beat>, Diagnostic> {
        let origin = &edge.origin;
        let fraction = |n: i64, d: i64| Rational::new(n.into(), d.into()).ok_or_else(|| too_fine(origin));
        let shift = |counter: ExprId, resolution: Option<ExprId>| {
            let resolution = resolution.map_or(Ok(1), |r| self.count(r, origin))?;
            fraction(self.count(counter, origin)?, resolution)
        };
        let factor = |f: Option<ExprId>| f.map_or(Ok(0), |f| self.count(f, origin));
        Ok(match edge.conversion {
            Conversion::Sub(f) => match factor(f)? {
                0 => None,
                f => Some((fraction(f, 1)?, Rational::ZERO)),
            },
            Conversion::Super(f) => match factor(f)? {
                0 => None,
                f => Some((fraction(1, f)?, Rational::ZERO)),
            },
            Conversion::Shift(counter, resolution) => Some((Rational::ONE, shift(counter, resolution)?)),
            Conversion::Back(counter, resolution) => {
                Some((Rational::ONE, shift(counter, resolution)?.negative()))
            }
            Conversion::Any => None,
            Conversion::Solver(_) => Some((Rational::ONE, Rational::ZERO)),
        })
    }

    /// Follows conversions with known numbers.
    fn groups(&self, edges: &[(usize, usize, &Edge)]) -> Result<Groups, Diagnostic> {
        let n = self.classes.len();
        // Neighbours: the other clock, what it is in terms of this one, and who says so.
        let mut neighbours: Vec<Vec<(usize, Beat, &Edge)>> = vec![Vec::new(); n];
        for &(result, argument, edge) in edges {
            let Some((ratio, shift)) = self.relation(edge)? else { continue };
            let fine = || too_fine(&edge.origin);
            let back = Rational::ONE.over(ratio).ok_or_else(fine)?;
            let shift_back = shift.over(ratio).ok_or_else(fine)?.negative();
            neighbours[argument].push((result, (ratio, shift), edge));
            neighbours[result].push((argument, (back, shift_back), edge));
        }
        let mut groups =
            Groups { of: vec![usize::MAX; n], relative: vec![(Rational::ONE, Rational::ZERO); n], count: 0 };
        let mut through: Vec<Option<&Edge>> = vec![None; n];
        for root in 0..n {
            if groups.of[root] != usize::MAX {
                continue;
            }
            groups.of[root] = groups.count;
            let mut open = vec![root];
            while let Some(here) = open.pop() {
                for &(other, (ratio, shift), edge) in &neighbours[here] {
                    let (period, start) = groups.relative[here];
                    let beat = ratio
                        .times(period)
                        .zip(shift.times(period).and_then(|shift| start.plus(shift)))
                        .ok_or_else(|| too_fine(&edge.origin))?;
                    if groups.of[other] == usize::MAX {
                        groups.of[other] = groups.count;
                        groups.relative[other] = beat;
                        through[other] = Some(edge);
                        open.push(other);
                    } else if groups.relative[other] != beat {
                        let before = through[other].or(through[here]).map_or(&edge.origin, |e| &e.origin);
                        return Err(contradiction(
                            &format!(
                                "{} contradicts what follows from other operators",
                                edge.conversion.name()
                            ),
                            &edge.origin,
                            before,
                        ));
                    }
                }
            }
            groups.count += 1;
        }
        Ok(groups)
    }

    fn said(&self, c: &Constructor) -> Result<Said, Diagnostic> {
        let Some(&first) = c.args.first() else { return Ok(Said::Nothing) };
        let second = c.args.get(1).copied();
        let varying = as_variable(&self.work.pool, first).filter(|&v| is_unknown(self.work, v));
        Ok(match c.first {
            Scalar::Boolean => Said::By(Trigger::Event(first, second)),
            Scalar::Integer => {
                let resolution = second.map_or(Ok(1), |r| self.count(r, &c.origin))?;
                if let Some(v) = varying {
                    return Ok(Said::By(Trigger::Varying(v, Some(resolution as f64))));
                }
                match self.count(first, &c.origin)? {
                    0 => Said::Nothing,
                    n => Said::Exactly(
                        Rational::new(n.into(), resolution.into()).ok_or_else(|| too_fine(&c.origin))?,
                    ),
                }
            }
            _ => match varying {
                Some(v) => Said::By(Trigger::Varying(v, None)),
                None => {
                    if self.work.pool.contains_any(first, |v| is_unknown(self.work, v)) {
                        let message =
                            "the interval of a clock is a parameter expression or a clocked variable";
                        return Err(at(Diagnostic::error("K0462", message), &c.origin, "used here"));
                    }
                    Said::By(Trigger::Periodic(first))
                }
            },
        })
    }

    /// Period and start of all clocks, in the unit of the trigger.
    fn beats(
        &self,
        groups: &Groups,
        one: ExprId,
    ) -> Result<(Trigger, Vec<Beat>, Option<Diagnostic>), Diagnostic> {
        let mut trigger: Option<(Trigger, &Constructor, usize)> = None;
        let mut exact: Option<&Constructor> = None;
        let mut known: Vec<Option<(Beat, &Constructor)>> = vec![None; groups.count];
        for c in &self.graph.constructors {
            let Some(clock) = self.place(c.node) else { continue };
            let (period, value) = match self.said(c)? {
                Said::Nothing => continue,
                Said::Exactly(period) => {
                    exact = exact.or(Some(c));
                    (period, None)
                }
                Said::By(other) => (Rational::ONE, Some(other)),
            };
            if let Some(e) = exact
                && (value.is_some() || trigger.is_some())
            {
                let other = trigger.as_ref().map_or(c, |(_, c, _)| c);
                let said = "one base clock has an exact interval and another kind of clock";
                return Err(contradiction(said, &other.origin, &e.origin));
            }
            if let Some(value) = value {
                match &trigger {
                    // Twice the same clock in one place is one clock.
                    Some((before, _, place)) if *before == value && *place == clock => {}
                    Some((_, before, _)) => {
                        let said = "two clocks that are not exact make the same equations tick";
                        return Err(contradiction(said, &c.origin, &before.origin));
                    }
                    None => trigger = Some((value, c, clock)),
                }
            }
            let (ratio, shift) = groups.relative[clock];
            let beat = period
                .over(ratio)
                .and_then(|root| Some((root, shift.times(root)?.negative())))
                .ok_or_else(|| too_fine(&c.origin))?;
            match &known[groups.of[clock]] {
                Some((before, other)) if *before != beat => {
                    let said = "two clocks that are related to each other have intervals that do not fit";
                    return Err(contradiction(said, &c.origin, &other.origin));
                }
                Some(_) => {}
                None => known[groups.of[clock]] = Some((beat, c)),
            }
        }
        let mut warning = None;
        let mut roots: Vec<Option<Beat>> = known.iter().map(|k| k.map(|(beat, _)| beat)).collect();
        if roots.iter().all(Option::is_none) {
            // Nothing says how fast: the fastest clock ticks each second.
            let fastest = groups.relative.iter().map(|r| r.0).min_by(|a, b| a.compare(*b));
            let first = groups.relative.iter().map(|r| r.1).min_by(|a, b| a.compare(*b));
            let root = Rational::ONE.over(fastest.unwrap_or(Rational::ONE)).unwrap_or(Rational::ONE);
            let start = first.and_then(|f| f.times(root)).unwrap_or(Rational::ZERO).negative();
            roots[0] = Some((root, start));
            warning = Some(self.default_clock());
        }
        let beats: Option<Result<Vec<Beat>, ()>> = (0..self.classes.len())
            .map(|i| {
                let (root, start) = roots[groups.of[i]]?;
                let (ratio, shift) = groups.relative[i];
                let beat = ratio.times(root).zip(shift.times(root).and_then(|s| start.plus(s)));
                Some(beat.ok_or(()))
            })
            .collect();
        match beats {
            Some(Ok(beats)) => Ok((trigger.map_or(Trigger::Periodic(one), |(t, _, _)| t), beats, warning)),
            Some(Err(())) => Err(too_fine(&self.any_origin())),
            None => {
                let message = "the interval of a clock does not follow from the other clocks";
                let d = Diagnostic::error("K0464", message).help(
                    "give the factor of `subSample` or `superSample`, or the clock of `sample` or `when`",
                );
                let open = (0..self.classes.len()).find(|&i| roots[groups.of[i]].is_none()).unwrap_or(0);
                let origin = self
                    .graph
                    .edges
                    .iter()
                    .find(|e| self.place(e.result) == Some(open) || self.place(e.argument) == Some(open))
                    .map_or_else(|| self.any_origin(), |e| e.origin.clone());
                Err(at(d, &origin, "used here"))
            }
        }
    }

    fn any_origin(&self) -> Origin {
        let edges = self.graph.edges.iter().map(|e| (e.result, &e.origin));
        let clocks = self.graph.constructors.iter().map(|c| (c.node, &c.origin));
        let marks = self.graph.clocked_marks.iter().map(|m| (m.node, &m.origin));
        let mut all = edges.chain(clocks).chain(marks).filter(|(node, _)| self.place(*node).is_some());
        all.next().map(|(_, origin)| origin.clone()).unwrap_or_default()
    }

    fn default_clock(&self) -> Diagnostic {
        let message = "nothing says when these clocked equations are active: the fastest of their clocks ticks every second";
        let d = Diagnostic::warning("K0465", message)
            .help("give a clock: `sample(u, Clock(0.1))` or `when Clock(0.1) then`");
        at(d, &self.any_origin(), "clocked here")
    }

    /// Do the factors that are inferred come out as whole numbers, and does no clock start before its base clock?
    fn check(&self, edges: &[(usize, usize, &Edge)], beats: &[Beat]) -> Result<(), Diagnostic> {
        for &(result, argument, edge) in edges {
            let (slow, fast) = match edge.conversion {
                Conversion::Sub(_) => (result, argument),
                Conversion::Super(_) => (argument, result),
                _ => continue,
            };
            let ratio = beats[slow].0.over(beats[fast].0);
            let same_start = beats[slow].1 == beats[fast].1;
            if ratio.is_some_and(|r| r.is_whole() && r.num > 0) && same_start {
                continue;
            }
            let said = match ratio {
                Some(ratio) if same_start => format!(
                    "{} would have to have the factor {ratio}, which is not a whole number",
                    edge.conversion.name()
                ),
                _ => format!("the clocks of {} do not start together", edge.conversion.name()),
            };
            let other = self.clock_of(argument).or_else(|| self.clock_of(result));
            return Err(contradiction(&said, &edge.origin, other.as_ref().unwrap_or(&edge.origin)));
        }
        for (i, beat) in beats.iter().enumerate() {
            if beat.1.compare(Rational::ZERO) == Ordering::Less {
                let edge = edges.iter().find(|e| e.0 == i && matches!(e.2.conversion, Conversion::Back(..)));
                let origin = edge.map_or_else(|| self.any_origin(), |e| e.2.origin.clone());
                let d = Diagnostic::error("K0466", "a clock would start before its base clock")
                    .help("`backSample` goes back at most as far as `shiftSample` has shifted before");
                return Err(at(d, &origin, "shifted here"));
            }
        }
        Ok(())
    }

    fn clock_of(&self, clock: usize) -> Option<Origin> {
        let found = self.graph.constructors.iter().find(|c| self.place(c.node) == Some(clock));
        found.map(|c| c.origin.clone())
    }

    fn in_units(&self, trigger: Trigger, beats: &[Beat]) -> Result<Rates, Diagnostic> {
        let origin = self.any_origin();
        let resolution = least_common_multiple(beats.iter().flat_map(|b| [b.0.den, b.1.den]))
            .ok_or_else(|| too_fine(&origin))?;
        if resolution != 1 && matches!(trigger, Trigger::Event(..)) {
            let d = Diagnostic::error(
                "K0467",
                "between the ticks of an event clock there are no others: `superSample` and the resolution of \
                 `shiftSample` cannot make it faster",
            );
            return Err(at(d, &origin, "clocked here"));
        }
        let scaled = |r: Rational| (resolution / r.den).checked_mul(r.num);
        let clocks: Option<Vec<(i64, i64)>> = beats.iter().map(|b| scaled(b.0).zip(scaled(b.1))).collect();
        Ok(Rates { trigger, resolution, clocks: clocks.ok_or_else(|| too_fine(&origin))? })
    }
}

/// Two places that disagree.
pub(crate) fn contradiction(said: &str, here: &Origin, there: &Origin) -> Diagnostic {
    let mut d = Diagnostic::error("K0463", format!("clocks contradict each other: {said}"));
    if let Some(location) = here.location {
        d = d.at(location, "this clock");
    }
    if let Some(location) = there.location.filter(|l| Some(*l) != here.location) {
        d = d.at(location, "does not fit this one");
    }
    d
}

fn too_fine(origin: &Origin) -> Diagnostic {
    let message = "factors and resolutions of clocks multiply to more than 64 bits can hold";
    at(Diagnostic::error("K0462", message), origin, "used here")
}

pub(crate) fn at(diagnostic: Diagnostic, origin: &Origin, label: &str) -> Diagnostic {
    match origin.location {
        Some(location) => diagnostic.at(location, label),
        None => diagnostic,
    }
}
