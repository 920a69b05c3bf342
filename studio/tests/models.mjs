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
