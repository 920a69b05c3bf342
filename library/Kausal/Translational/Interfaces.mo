within Kausal.Translational;
package Interfaces "Connectors and partial models"
  connector Flange "Point of attachment"
    Units.Position s "Absolute position";
    flow Units.Force f "Force acting on the component";
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {0, 110, 0}, fillColor = {0, 110, 0}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>Connected flanges have the same position; the forces on them add up to zero.</p>
</html>"));
  end Flange;

  partial model TwoFlanges "Component with two flanges"
    Flange a "Left flange"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Flange b "Right flange"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(
      Documentation(info = "<html>
<p>A component in a line, with a flange at each end.</p>
</html>"));
  end TwoFlanges;

  partial model Rigid "Component of fixed length"
    extends TwoFlanges;
    parameter Units.Length L = 0 "Distance from a to b";
    Units.Position s "Position of the centre";
  equation
    a.s = s - L/2;
    b.s = s + L/2;
    annotation(
      Documentation(info = "<html>
<p>The flanges keep the distance <code>L</code>. What is missing is the balance of the forces.</p>
</html>"));
  end Rigid;

  partial model Compliant "Component without mass between two flanges"
    extends TwoFlanges;
    Units.Length s_rel(start = 0) "Distance from a to b";
    Units.Force f "Force that pulls b back to a";
  equation
    s_rel = b.s - a.s;
    b.f = f;
    a.f = -f;
    annotation(
      Documentation(info = "<html>
<p>The force <code>f</code> acts on both ends in opposite directions. What is missing is its equation.</p>
</html>"));
  end Compliant;

  partial model CompliantWithSpeed "Component without mass whose force depends on the relative speed"
    extends Compliant(s_rel(stateSelect = stateSelect));
    parameter StateSelect stateSelect = StateSelect.prefer
      "Are the distance and the relative speed wanted as states?";
    Units.Velocity v_rel(start = 0, stateSelect = stateSelect) "Velocity of b relative to a";
  equation
    v_rel = der(s_rel);
    annotation(
      Documentation(info = "<html>
<p>The distance and its derivative, of which <code>f</code> is a function. They are preferred as states.</p>
</html>"));
  end CompliantWithSpeed;

  model Terminal "A flange inside a component, for connectors that need not be there"
    Flange flange "To be connected to the connector of the component"
      annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
    input Units.Force f "Force acting on the component through the connector";
    Units.Position s "Position of the connector";
  equation
    flange.f = f;
    s = flange.s;
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Stands inside a component whose flange may be left out: connected to the flange, or to nothing, where its force is
zero.</p>
</html>"));
  end Terminal;

  partial model Driven "Source with one flange"
    Flange flange "The driven flange"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(
      Documentation(info = "<html>
<p>A flange that is driven against the world at rest. What is missing is one equation for its force or position.</p>
</html>"));
  end Driven;

  partial model AbsoluteSensor "Sensor at one flange"
    Flange flange "Where to measure"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  equation
    flange.f = 0;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {0, 110, 0}),
        Line(points = {{60, 0}, {100, 0}}, color = {0, 110, 0}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Takes no force; what extends it gives the equation of its output.</p>
</html>"));
  end AbsoluteSensor;

  partial model DryFriction "Sticking and sliding of translating parts"
    extends Friction.StickSlip(v_rel(start = 0, stateSelect = StateSelect.prefer));
  equation
    a_rel = der(v_rel);
    annotation(
      Documentation(info = "<html>
<p><code>Friction.StickSlip</code> for velocities, accelerations and forces along a line.</p>
</html>"));
  end DryFriction;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 110, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-30, -30}, {30, 30}},
        lineColor = {0, 110, 0}, fillColor = {0, 110, 0}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Flanges carry a position and a force, counted positive into the component.</p>
</html>"));
end Interfaces;
