//! What circuits share: classes of our own for models made of components, characteristics of diodes, and the current through a
//! diode in series with a resistor.

/// Connector and components, to be put before a model. Parameters have the names of the built-in library's parts.
pub const PARTS: &str = "\
connector Pin Real v; flow Real i; end Pin;
partial model TwoPins Pin p, n; Real v, i; equation v = p.v - n.v; i = p.i; p.i + n.i = 0; end TwoPins;
model Resistor extends TwoPins; parameter Real R = 1; equation v = R*i; end Resistor;
model Capacitor extends TwoPins; parameter Real C = 1; equation C*der(v) = i; end Capacitor;
model Inductor extends TwoPins; parameter Real L = 1; equation L*der(i) = v; end Inductor;
model Ground Pin p; equation p.v = 0; end Ground;
model Diode extends TwoPins; parameter Real Ids = 1e-12, Vt = 0.025; equation i = Ids*(exp(v/Vt) - 1); end Diode;
model IdealDiode extends TwoPins; parameter Real Ron = 1e-5, Goff = 1e-5; Real s(start = 0); Boolean off(start = true);
equation off = s < 0; v = s*(if off then 1 else Ron); i = s*(if off then Goff else 1); end IdealDiode;
model IdealSwitch extends TwoPins; parameter Real Ron = 1e-5, Goff = 1e-5; input Boolean close; Real s;
equation v = s*(if close then Ron else 1); i = s*(if close then 1 else Goff); end IdealSwitch;
model SineVoltage extends TwoPins; parameter Real V = 1, f = 1, phase = 0;
equation v = V*sin(2*3.141592653589793*f*time + phase); end SineVoltage;
model ConstantVoltage extends TwoPins; parameter Real V = 1; equation v = V; end ConstantVoltage;
";

/// Which classes a model of components uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Parts {
    /// [`PARTS`].
    Own,
    /// The built-in library.
    Library,
}

impl Parts {
    /// The text before the model.
    pub fn head(self) -> &'static str {
        if self == Parts::Own { PARTS } else { "" }
    }

    /// Prefix of component classes.
    pub fn class(self, name: &str) -> String {
        match (self, name) {
            (Parts::Own, _) => name.to_owned(),
            (Parts::Library, "SineVoltage" | "ConstantVoltage") => {
                format!("Kausal.Electrical.Sources.{name}")
            }
            (Parts::Library, _) => format!("Kausal.Electrical.{name}"),
        }
    }
}

/// The exponential characteristic; `limit` is the exponent beyond which it goes on straight, `gp` a parallel conductance.
#[derive(Clone, Copy, Debug)]
pub struct Diode {
    /// Saturation current.
    pub saturation: f64,
    /// Thermal voltage.
    pub vt: f64,
    /// Parallel conductance.
    pub gp: f64,
    /// Largest exponent.
    pub limit: f64,
}

impl Diode {
    /// Current and conductance.
    pub fn at(&self, v: f64) -> (f64, f64) {
        let e = v / self.vt;
        if e > self.limit {
            let top = self.limit.exp();
            let current = self.saturation * (top * (1.0 + e - self.limit) - 1.0);
            return (self.gp * v + current, self.gp + self.saturation * top / self.vt);
        }
        (self.gp * v + self.saturation * e.exp_m1(), self.gp + self.saturation * e.exp() / self.vt)
    }

    /// The current with a resistor in series and `v` across both.
    pub fn behind(&self, resistance: f64, v: f64) -> f64 {
        if resistance == 0.0 {
            return self.at(v).0;
        }
        let (mut low, mut high) = if v > 0.0 { (0.0, v) } else { (v, 0.0) };
        let mut vd =
            if v > 0.0 { v.min(self.vt * (1.0 + v / (resistance * self.saturation)).ln()) } else { v };
        for _ in 0..200 {
            let (i, g) = self.at(vd);
            let rest = vd + resistance * i - v;
            if rest > 0.0 {
                high = vd
            } else {
                low = vd
            }
            let mut next = vd - rest / (1.0 + resistance * g);
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            if (next - vd).abs() <= 4.0 * f64::EPSILON * vd.abs().max(f64::MIN_POSITIVE)
                || next == low
                || next == high
            {
                vd = next;
                break;
            }
            vd = next;
        }
        self.at(vd).0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_circuit_is_solved() {
        let diode = Diode { saturation: 1e-12, vt: 0.025, gp: 0.0, limit: f64::INFINITY };
        for v in [-5.0, -0.01, 0.0, 0.3, 0.7, 12.0, 300.0] {
            let i = diode.behind(10.0, v);
            // The inverse of the characteristic: vt ln(1 + i/Is) + R i = v.
            let back = diode.vt * (i / diode.saturation).ln_1p() + 10.0 * i;
            if v > 0.0 {
                assert!((back - v).abs() < 1e-9 * v.abs(), "{v}: {back}");
            } else {
                assert!((-1e-12 - 1e-20..=0.0).contains(&i), "{v}: {i}");
            }
        }
    }
}
