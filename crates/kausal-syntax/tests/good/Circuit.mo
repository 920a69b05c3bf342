within;
package Circuit "Electrical components of one and two pins"
  import Modelica.Units.SI;

  connector Pin "Where wires meet"
    SI.Voltage v "Potential";
    flow SI.Current i "Current into the component";
    annotation (Icon(graphics = {Rectangle(extent = {{-100, 100}, {100, -100}}, fillPattern = FillPattern.Solid)}));
  end Pin;

  connector NegativePin = Pin "The same, drawn otherwise";

  partial model OnePort "What all components with two pins share"
    Pin p;
    NegativePin n;
    SI.Voltage v "Voltage drop from p to n";
    SI.Current i(start = 0) "Current from p to n";
  equation
    v = p.v - n.v;
    0 = p.i + n.i;
    i = p.i;
  end OnePort;

  model Resistor
    parameter SI.Resistance R(min = 0) = 1 "Resistance";
    extends OnePort;
  equation
    R*i = v;
  end Resistor;

  model Capacitor
    extends OnePort(v(start = 0, fixed = true));
    parameter SI.Capacitance C(final min = 0, displayUnit = "mF");
  equation
    C*der(v) = i;
  end Capacitor;

  model SineVoltage
    extends OnePort;
    parameter SI.Voltage amplitude = 230*sqrt(2);
    parameter SI.Frequency f = 50;
    constant Real pi = 2*Modelica.Math.asin(1.0);
  equation
    v = amplitude*sin(2*pi*f*time);
  end SineVoltage;

  model Diode "Ideal, with a curve parameter"
    extends OnePort;
    Boolean off(start = true);
  protected
    Real s;
  equation
    off = s < 0;
    v = if off then s else 1e-5*s;
    i = if off then 1e-5*s else s;
  end Diode;

  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;

  model Rectifier
    SineVoltage source(amplitude = 10);
    Diode d[4];
    Resistor load(R = 100);
    Capacitor smoothing(C = 1e-3);
    Ground ground;
  equation
    connect(source.p, d[1].p) annotation (Line(points = {{-60, 20}, {-60, 40}, {-20, 40}}, color = {0, 0, 255}));
    connect(source.p, d[2].n);
    connect(source.n, d[3].p);
    connect(source.n, d[4].n);
    connect(d[1].n, load.p);
    connect(d[3].n, load.p);
    connect(d[2].p, load.n);
    connect(d[4].p, load.n);
    connect(load.p, smoothing.p);
    connect(load.n, smoothing.n);
    connect(load.n, ground.p);
    annotation (experiment(StopTime = 0.1, Tolerance = 1e-6));
  end Rectifier;
end Circuit;
