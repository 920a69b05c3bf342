within Kausal.Thermal;
package Interfaces "Connectors and partial models"
  connector HeatPort "Thermal port"
    Units.Temperature T "Temperature";
    flow Units.HeatFlowRate Q_flow "Heat flow rate into the component";
    annotation(
      Icon(graphics = {
        Rectangle(extent = {{-100, -100}, {100, 100}},
          lineColor = {190, 0, 0}, fillColor = {190, 0, 0}, fillPattern = FillPattern.Solid)}),
      Documentation(info = "<html>
<p>Connected ports have the same temperature; the heat flowing into them adds up to zero.</p>
</html>"));
  end HeatPort;

  partial model Element "Component between two ports that stores no heat"
    HeatPort a "Left port"
      annotation(Placement(transformation(extent = {{-110, -10}, {-90, 10}})));
    HeatPort b "Right port"
      annotation(Placement(transformation(extent = {{90, -10}, {110, 10}})));
    Units.TemperatureDifference dT "Temperature of a minus temperature of b";
    Units.HeatFlowRate Q_flow "Heat flow rate from a to b";
  equation
    dT = a.T - b.T;
    a.Q_flow = Q_flow;
    b.Q_flow = -Q_flow;
    annotation(
      Documentation(info = "<html>
<p>The heat that enters at <code>a</code> leaves at <code>b</code>. What is missing is one equation between heat flow
and temperature difference.</p>
</html>"));
  end Element;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {190, 0, 0}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Rectangle(extent = {{-30, -30}, {30, 30}},
        lineColor = {190, 0, 0}, fillColor = {190, 0, 0}, fillPattern = FillPattern.Solid)}),
    Documentation(info = "<html>
<p>Ports carry a temperature and a heat flow rate, counted positive into the component.</p>
</html>"));
end Interfaces;
