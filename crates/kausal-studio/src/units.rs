//! Units to choose for a quantity: `shown = base * factor + offset`.

use kausal::draw::units::{convert, pretty};
use serde_json::{Value, json};

/// Units people use besides those of the SI, by the unit they stand for.
const USUAL: &[(&str, &[&str])] = &[
    ("K", &["degC", "degF"]),
    ("rad", &["deg", "rev"]),
    ("rad/s", &["rpm", "deg/s", "Hz"]),
    ("m", &["mm", "cm", "km"]),
    ("m/s", &["km/h", "mm/s"]),
    ("s", &["ms", "min", "h", "d"]),
    ("Pa", &["bar", "kPa", "MPa", "mbar"]),
    ("W", &["kW", "MW", "mW"]),
    ("J", &["kJ", "MJ", "kWh"]),
    ("N", &["kN"]),
    ("N.m", &["kN.m"]),
    ("kg", &["g", "t"]),
    ("kg/s", &["kg/h", "t/h"]),
    ("m3", &["l"]),
    ("m3/s", &["l/min", "m3/h"]),
    ("V", &["mV", "kV"]),
    ("A", &["mA", "kA"]),
    ("Ohm", &["kOhm", "MOhm", "mOhm"]),
    ("F", &["mF", "uF", "nF", "pF"]),
    ("H", &["mH", "uH"]),
    ("Hz", &["kHz", "MHz"]),
    ("J/kg", &["kJ/kg"]),
];

/// The display unit first, then the unit, then others of its kind.
pub fn choices(unit: &str, display: &str) -> Vec<Value> {
    let mut names: Vec<&str> = Vec::new();
    for name in [display, unit].into_iter().chain(usual(unit).iter().copied()) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().filter_map(|name| choice(unit, name)).collect()
}

fn usual(unit: &str) -> &'static [&'static str] {
    USUAL.iter().find(|(base, _)| *base == unit).map_or(&[], |(_, list)| list)
}

fn choice(unit: &str, name: &str) -> Option<Value> {
    let (zero, one) = (convert(0.0, unit, name)?, convert(1.0, unit, name)?);
    Some(json!({"unit": name, "label": pretty(name), "factor": one - zero, "offset": zero}))
}
