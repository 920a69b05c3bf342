within Kausal.Rotational;
package Interfaces "Connectors and partial models"
  connector Flange "End of a shaft"
    Units.Angle phi "Absolute angle";
    flow Units.Torque tau "Torque acting on the component";
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-100, -100}, {100, 100}},
          lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>Connected flanges have the same angle; the torques on them add up to zero.</p>
</html>"));
  end Flange;

  partial model TwoFlanges "Component with two flanges"
    Flange a "Left flange"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    Flange b "Right flange"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(
      Documentation(info = "<html>
<p>A component in a shaft, with a flange at each end.</p>
</html>"));
  end TwoFlanges;

  partial model Compliant "Component without inertia between two flanges"
    extends TwoFlanges;
    Units.Angle phi_rel(start = 0) "Angle of b relative to a";
    Units.Torque tau "Torque that pulls b back to a";
  equation
    phi_rel = b.phi - a.phi;
    b.tau = tau;
    a.tau = -tau;
    annotation(
      Documentation(info = "<html>
<p>The torque <code>tau</code> acts on both ends in opposite directions. What is missing is its equation.</p>
</html>"));
  end Compliant;

  partial model CompliantWithSpeed "Component without inertia whose torque depends on the relative speed"
    extends Compliant(phi_rel(stateSelect = stateSelect));
    parameter StateSelect stateSelect = StateSelect.prefer "Are the relative angle and speed wanted as states?";
    Units.AngularVelocity w_rel(start = 0, stateSelect = stateSelect) "Angular velocity of b relative to a";
  equation
    w_rel = der(phi_rel);
    annotation(
      Documentation(info = "<html>
<p>The relative angle and its derivative, of which <code>tau</code> is a function. They are preferred as states.</p>
</html>"));
  end CompliantWithSpeed;

  model Terminal "A flange inside a component, for connectors that need not be there"
    Flange flange "To be connected to the connector of the component"
      annotation(Placement(transformation(extent = {{-10, -10}, {10, 10}})));
    input Units.Torque tau "Torque acting on the component through the connector";
    Units.Angle phi "Angle of the connector";
  equation
    flange.tau = tau;
    phi = flange.phi;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Stands inside a component whose flange may be left out: connected to the flange, or to nothing, where its torque is
zero.</p>
</html>"));
  end Terminal;

  partial model Housed "Component that is supported by a housing"
    parameter Boolean useHousing = false "Is the housing a flange, or at rest?" annotation(Evaluate = true);
    Flange housing if useHousing "Housing; at rest unless used"
      annotation(Placement(transformation(extent = {{-10, -110}, {10, -90}})));
    Units.Torque tau_support "Torque of the housing acting on the component";
  protected
    Terminal support(tau = tau_support) "The housing, whether used or not"
      annotation(Placement(transformation(extent = {{-10, -80}, {10, -60}})));
    Fixed rest if not useHousing "Keeps an unused housing at rest"
      annotation(Placement(transformation(extent = {{20, -100}, {40, -80}})));
  equation
    connect(support.flange, housing) annotation(Line(points = {{0, -70}, {0, -100}}, color = {70, 70, 70}));
    connect(support.flange, rest.flange)
      annotation(Line(points = {{0, -70}, {15, -70}, {15, -90}, {30, -90}}, color = {70, 70, 70}));
    annotation(
      Diagram(coordinateSystem(extent = {{-100, -100}, {100, 100}})),
      Documentation(info = "<html>
<p>With <code>useHousing</code> there is a flange <code>housing</code> that takes up the reaction
<code>tau_support</code>; without it the housing is at rest.</p>
</html>"));
  end Housed;

  partial model Driven "Source with one flange and a housing"
    extends Housed;
    Flange flange "The driven flange"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    annotation(
      Documentation(info = "<html>
<p>A flange that is driven against the housing. What is missing is one equation for its torque or angle.</p>
</html>"));
  end Driven;

  partial model AbsoluteSensor "Sensor at one flange"
    Flange flange "Where to measure"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
  equation
    flange.tau = 0;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {70, 70, 70}),
        Line(points = {{60, 0}, {100, 0}}, color = {70, 70, 70}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Takes no torque; what extends it gives the equation of its output.</p>
</html>"));
  end AbsoluteSensor;

  partial model RelativeSensor "Sensor between two flanges"
    extends TwoFlanges;
  equation
    a.tau = 0;
    b.tau = 0;
    annotation(
      Icon(graphics = {
        Ellipse(extent = {{-60, -60}, {60, 60}},
          lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
        Line(points = {{-90, 0}, {-60, 0}}, color = {70, 70, 70}),
        Line(points = {{60, 0}, {90, 0}}, color = {70, 70, 70}),
        Line(points = {{0, -60}, {0, -100}}, color = {70, 70, 70}),
        Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})}),
      Documentation(info = "<html>
<p>Takes no torque from either flange; what extends it gives the equation of its output.</p>
</html>"));
  end RelativeSensor;

  partial model DryFriction "Sticking and sliding of rotating parts"
    extends Friction.StickSlip;
    Units.AngularVelocity w_rel(start = 0, stateSelect = StateSelect.prefer) "Relative angular velocity";
    Units.AngularAcceleration alpha_rel "Relative angular acceleration";
    Units.Torque tau "Friction torque";
  equation
    v_rel = w_rel;
    a_rel = alpha_rel;
    f = tau;
    alpha_rel = der(w_rel);
    annotation(
      Documentation(info = "<html>
<p><code>Friction.StickSlip</code> in angular velocity, angular acceleration and torque.</p>
</html>"));
  end DryFriction;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {70, 70, 70}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Ellipse(extent = {{-30, -30}, {30, 30}},
        lineColor = {70, 70, 70}, fillColor = {200, 200, 200}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Flanges carry an angle and a torque, counted positive into the component.</p>
</html>"));
end Interfaces;
