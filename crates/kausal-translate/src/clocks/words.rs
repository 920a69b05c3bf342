//! How listings and explanations speak of clocks.

use kausal_symbolic::print::print_limited;
use kausal_symbolic::{Pool, VarId};

use super::rational::Rational;
use crate::program::{BaseClock, ClockTrigger};

/// Characters of a formula.
const WIDTH: usize = 60;

impl BaseClock {
    /// When a clock ticks: `every 0.01 s`, `every 2nd time b becomes true, after the first 3`.
    pub fn ticks(&self, clock: u32, pool: &Pool, name: &dyn Fn(VarId) -> String) -> String {
        let Some(clock) = self.clocks.get(clock as usize) else { return String::new() };
        let of_unit = |n: i64| Rational::new(n.into(), self.resolution.into()).unwrap_or(Rational::ZERO);
        let (period, shift) = (of_unit(clock.factor), of_unit(clock.shift));
        let time = |part: Rational| match self.trigger {
            ClockTrigger::Periodic(interval) => match pool.as_constant(interval) {
                Some(unit) => format!("{} s", unit * part.num as f64 / part.den as f64),
                None => times(part, &print_limited(pool, interval, name, WIDTH)),
            },
            ClockTrigger::Varying { variable, resolution: Some(resolution) } => {
                times(part, &format!("{}/{resolution} s", name(variable)))
            }
            ClockTrigger::Varying { variable, resolution: None } => times(part, &name(variable)),
            ClockTrigger::Event { .. } => part.to_string(),
        };
        if let ClockTrigger::Event { condition, .. } = self.trigger {
            let often = match period.num {
                1 => "each time".to_owned(),
                n => format!("every {n}. time"),
            };
            let after = match shift.num {
                0 => String::new(),
                n => format!(", after the first {n}"),
            };
            return format!("{often} {} becomes true{after}", name(condition));
        }
        let after = match shift.num {
            0 => String::new(),
            _ => format!(", from {} on", time(shift)),
        };
        format!("every {}{after}", time(period))
    }
}

fn times(part: Rational, unit: &str) -> String {
    match part {
        Rational::ONE => unit.to_owned(),
        part => format!("{part}*{unit}"),
    }
}
