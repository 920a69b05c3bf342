//! Results as comma-separated values: a header line with `time` and the names, then one line per instant.

use std::io::{self, Write};

use crate::result::{Trajectory, Values};

/// Writes all signals; parameters and constants are columns like any other. Names are quoted.
pub fn write(trajectory: &Trajectory, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::from("\"time\"");
    for signal in &trajectory.signals {
        line.push_str(&format!(",\"{}\"", signal.name.replace('"', "\"\"")));
    }
    line.push('\n');
    out.write_all(line.as_bytes())?;
    for (row, time) in trajectory.time.iter().enumerate() {
        line.clear();
        push_number(&mut line, *time);
        for signal in &trajectory.signals {
            line.push(',');
            let value = match signal.values {
                Values::Constant(value) => value,
                Values::Column(column, negated) => {
                    let value = trajectory.columns[column][row];
                    if negated { -value } else { value }
                }
            };
            push_number(&mut line, value);
        }
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    Ok(())
}

/// The shortest text that reads back as the same number; -0 is 0.
fn push_number(line: &mut String, value: f64) {
    use std::fmt::Write;
    let value = if value == 0.0 { 0.0 } else { value };
    let magnitude = value.abs();
    // Writing to a string cannot fail.
    let _ = if magnitude != 0.0 && !(1e-5..1e15).contains(&magnitude) {
        write!(line, "{value:e}")
    } else {
        write!(line, "{value}")
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Signal;

    #[test]
    fn numbers_read_back() {
        let signal = |name: &str, values| Signal {
            name: name.into(),
            unit: String::new(),
            description: String::new(),
            values,
        };
        let trajectory = Trajectory {
            time: vec![0.0, 0.1],
            signals: vec![signal("a", Values::Column(0, true)), signal("p", Values::Constant(1e-20))],
            columns: vec![vec![0.0, 1.0 / 3.0]],
        };
        let mut out = Vec::new();
        write(&trajectory, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "\"time\",\"a\",\"p\"\n0,0,1e-20\n0.1,-0.3333333333333333,1e-20\n");
    }
}
