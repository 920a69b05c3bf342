model Thermal "A rod, cut into pieces"
  import SI = Modelica.Units.SI;
  import Modelica.Math.Vectors;
  constant Real pi = 3.14159265358979;
  parameter Integer N(min = 2) = 20 "Number of pieces";
  parameter SI.Length L = 1.5, r = 2e-2;
  parameter Real lambda = 400, rho = 8.9e3, c = .385e3;
  final parameter Real dx = L/N, area = pi*r^2;
  Real T[N](each start = 293.15, each fixed = true);
  HeatPort left, right;
  connector HeatPort
    Real T;
    flow Real Q;
  end HeatPort;
protected
  Real q[N + 1];
  parameter Real G = lambda*area/dx;
public
  output Real mean = sum(T)/N;
equation
  q[1] = left.Q;
  left.T = T[1];
  for i in 2:N loop
    q[i] = G*(T[i - 1] - T[i]) "Fourier";
  end for;
  q[N + 1] = -right.Q;
  right.T = T[N];
  for i in 1:N loop
    rho*c*area*dx*der(T[i]) = q[i] - q[i + 1];
    if i == 1 then
      assert(T[i] > 0, "too cold");
    else
      assert(T[i] < 1e4, "too hot");
    end if;
  end for;
  annotation (
    Icon(
      coordinateSystem(preserveAspectRatio = false, extent = {{-100, -100}, {100, 100}}),
      graphics = {
        Rectangle(extent = {{-80, 20}, {80, -20}}, lineColor = {191, 0, 0}, fillColor = {255, 128, 0}),
        Text(extent = {{-100, 60}, {100, 30}}, textString = "%name"),
        Line(points = {{-80, 0}, {80, 0}}, color = {0, 0, 0}, pattern = LinePattern.Dash)}),
    Diagram(graphics),
    version = "1.0",
    uses(Modelica(version = "4.0.0")),
    __Kausal(hint = true));
end Thermal;
