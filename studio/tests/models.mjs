// Models the tests edit.

export const rcModel = `model Charge "Charging a capacitor"
  Kausal.Electrical.Sources.ConstantVoltage source(V = 10) "Supply"
    annotation(Placement(transformation(origin = {-40, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Kausal.Electrical.Resistor resistor(R = 1000) "Limits the current"
    annotation(Placement(transformation(extent = {{-10, 30}, {10, 50}})));
  Kausal.Electrical.Capacitor capacitor(C = 1e-3) "Stores the charge"
    annotation(Placement(transformation(origin = {40, 0}, extent = {{-10, -10}, {10, 10}}, rotation = -90)));
  Kausal.Electrical.Ground ground
    annotation(Placement(transformation(extent = {{-50, -50}, {-30, -30}})));
equation
  connect(source.p, resistor.p)
    annotation(Line(points = {{-40, 10}, {-40, 40}, {-10, 40}}, color = {0, 0, 255}));
  connect(resistor.n, capacitor.p)
    annotation(Line(points = {{10, 40}, {40, 40}, {40, 10}}, color = {0, 0, 255}));
  connect(capacitor.n, source.n)
    annotation(Line(points = {{40, -10}, {-40, -10}}, color = {0, 0, 255}));
  connect(source.n, ground.p)
    annotation(Line(points = {{-40, -10}, {-40, -30}}, color = {0, 0, 255}));
  annotation(experiment(StopTime = 5));
end Charge;
`;

/** Documentation that wants to run scripts. */
export const evilModel = `model Evil
  annotation(Documentation(info = "<html><script>window.evil=1</script><img src=x onerror=\\"window.evil=2\\"><a href=\\"javascript:window.evil=3\\">x</a><p>harmless</p></html>"));
end Evil;
`;

/** Tabs, comments in strange places, several declarations in a line, no spaces: all of it stays. */
export const oddModel = `// A head that stays.
model   Odd   /* who writes so? */  "Odd layout"
\tKausal.Electrical.Sources.ConstantVoltage s(V=1/*volt*/) annotation(Placement(transformation(origin={-40,0},extent={{-10,-10},{10,10}},rotation=-90)));
  Kausal.Electrical.Resistor r1( R =  10 ) annotation(Placement(transformation(extent={{-20,30},{0,50}}))) ; Kausal.Electrical.Resistor
      r2(R=20 // ohms
      )  annotation (Placement( transformation(
           extent={{10,30},{30,50}})));


  Kausal.Electrical.Capacitor c(C  = 1e-3)   annotation(Placement(transformation(origin={60,0},extent={{-10,-10},{10,10}},rotation=-90)));   // trailing words
      Kausal.Electrical.Ground g annotation(Placement(transformation(extent={{-50,-50},{-30,-30}})));
equation
     connect(s.p,r1.p) annotation(Line(points={{-40,10},{-40,40},{-20,40}})); connect(r1.n,r2.p)annotation(Line(points={{0,40},{10,40}}));
  /* a comment
       over lines */
connect(r2.n , c.p) annotation(Line(points={{30,40},{60,40},{60,10}}));
   connect(c.n,s.n);   connect(s.n,g.p);
end Odd;
// A tail that stays.
`;

/** A grid of resistors: rows in series, columns joined, until there are enough connections. */
export function bigModel(components, connections) {
  const width = 50;
  const name = (i) => `c_${Math.floor(i / width)}_${i % width}`;
  const at = (i) => [(i % width) * 40, -Math.floor(i / width) * 40];
  let text = 'model Big "Made by a script"\n  Kausal.Electrical.Ground ground annotation(Placement(transformation(extent = {{-50, -10}, {-30, 10}})));\n';
  for (let i = 0; i < components - 1; i++) {
    const [x, y] = at(i);
    text += `  Kausal.Electrical.Resistor ${name(i)}(R = ${100 + i}) annotation(Placement(transformation(extent = {{${x - 10}, ${y - 10}}, {${x + 10}, ${y + 10}}})));\n`;
  }
  text += "equation\n  connect(ground.p, c_0_0.p) annotation(Line(points = {{-40, 10}, {-10, 10}, {-10, 0}}));\n";
  let made = 1;
  for (let i = 0; i < components - 1 && made < connections; i++) {
    const [x, y] = at(i);
    if (i % width < width - 1 && i + 1 < components - 1) {
      text += `  connect(${name(i)}.n, ${name(i + 1)}.p) annotation(Line(points = {{${x + 10}, ${y}}, {${x + 30}, ${y}}}, color = {0, 0, 255}));\n`;
      made++;
    }
    if (i % 2 && i + width < components - 1 && made < connections) {
      text += `  connect(${name(i)}.n, ${name(i + width)}.n) annotation(Line(points = {{${x + 10}, ${y}}, {${x + 10}, ${y - 40}}}, color = {0, 0, 255}));\n`;
      made++;
    }
  }
  for (let i = 0; made < connections && i + width < components - 1; i += 2) {
    const [x, y] = at(i);
    text += `  connect(${name(i)}.p, ${name(i + width)}.p) annotation(Line(points = {{${x - 10}, ${y}}, {${x - 10}, ${y - 40}}}, color = {0, 0, 255}));\n`;
    made++;
  }
  return `${text}end Big;\n`;
}

/** Far more rows than a plot has points, and figures with labels, limits and values. */
export const longModel = `model Long "A ripple on a slow wave"
  parameter Real w(unit = "rad/s") = 2;
  Real x(start = 1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
  Real ripple(unit = "V");
  Real fast(unit = "V") = sin(2*3.141592653589793*400*time);
equation
  der(x) = v;
  der(v) = -w^2*x;
  ripple = 10 + fast;
  annotation(experiment(StopTime = 20, Interval = 1e-4), Documentation(figures = {Figure(title = "Motion", identifier = "m", preferred = true,
    plots = {Plot(title = "Position", curves = {Curve(y = x, legend = "w = %{w}")}, y = Axis(label = "position", min = -3000, max = 3000, unit = "mm"))})}));
end Long;
`;

/** One input, one output, one pole. */
export const lowpassModel = `model Lowpass
  input Real u;
  output Real y(start = 0, fixed = true);
equation
  der(y) = u - y;
end Lowpass;
`;

/** A block with an input that is there only if somebody wants it, and a component without an icon. */
export const optionalModel = `package Optional
  block Two
    parameter Boolean wanted = false;
    Modelica.Blocks.Interfaces.RealInput u annotation(Placement(transformation(extent = {{-120, 20}, {-80, 60}})));
    Modelica.Blocks.Interfaces.RealInput extra if wanted annotation(Placement(transformation(extent = {{-120, -60}, {-80, -20}})));
  end Two;
  model Use
    Two two annotation(Placement(transformation(extent = {{20, -20}, {60, 20}})));
    Two both(wanted = true) annotation(Placement(transformation(extent = {{20, 40}, {60, 80}})));
    Modelica.Blocks.Sources.Sine sine(f = 1) annotation(Placement(transformation(extent = {{-60, -10}, {-40, 10}})));
  end Use;
end Optional;
`;
