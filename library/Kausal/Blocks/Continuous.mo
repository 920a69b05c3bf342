within Kausal.Blocks;
package Continuous "Blocks with states"
  block Integrator "Integrator"
    extends Interfaces.SISO(y(start = y_start, fixed = true));
    parameter Real k = 1 "Gain";
    parameter Real y_start = 0 "Initial output";
  equation
    der(y) = k*u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 80}, {60, 0}}, textString = "k", textColor = {0, 0, 127}),
        Line(points = {{-40, 0}, {40, 0}}, color = {0, 0, 127}),
        Text(extent = {{-60, 0}, {60, -80}}, textString = "s", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>der(y) = k*u</code>, from <code>y_start</code> on.</p>
</html>"));
  end Integrator;

  block LimitedIntegrator "Integrator whose output stays within limits"
    extends Interfaces.SISO(y(start = y_start, fixed = true));
    parameter Real k = 1 "Gain";
    parameter Real y_start = 0 "Initial output";
    parameter Real yMax = 1 "Upper limit";
    parameter Real yMin = -yMax "Lower limit";
  equation
    der(y) = if y > yMax and k*u > 0 or y < yMin and k*u < 0 then 0 else k*u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-60, 80}, {60, 0}}, textString = "k", textColor = {0, 0, 127}),
        Line(points = {{-40, 0}, {40, 0}}, color = {0, 0, 127}),
        Text(extent = {{-60, 0}, {60, -80}}, textString = "s", textColor = {0, 0, 127}),
        Line(points = {{-90, 90}, {90, 90}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>Integrates like <code>Integrator</code>, but stops at its limits and leaves them as soon as the input has the other
sign.</p>
</html>"));
  end LimitedIntegrator;

  block Derivative "Derivative of a signal, filtered"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter Units.Time T(min = Constants.small) = 0.01 "Time constant of the filter";
    parameter Real x_start = 0 "Initial value of the filtered input";
    Real x(start = x_start, fixed = true) "Filtered input";
  equation
    der(x) = (u - x)/T;
    y = k*der(x);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 80}, {80, 0}}, textString = "k s", textColor = {0, 0, 127}),
        Line(points = {{-60, 0}, {60, 0}}, color = {0, 0, 127}),
        Text(extent = {{-80, 0}, {80, -80}}, textString = "T s + 1", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The derivative of the input, filtered with the time constant <code>T</code>: the transfer function is
<code>k*s/(T*s + 1)</code>. A pure derivative would not be causal.</p>
</html>"));
  end Derivative;

  block FirstOrder "First order transfer function"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter Units.Time T = 1 "Time constant";
    parameter Real y_start = 0 "Initial output, if not steady";
    parameter Boolean steady = false "Begin in steady state?" annotation(Evaluate = true);
  initial equation
    if steady then
      der(y) = 0;
    else
      y = y_start;
    end if;
  equation
    T*der(y) = k*u - y;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 80}, {80, 0}}, textString = "k", textColor = {0, 0, 127}),
        Line(points = {{-60, 0}, {60, 0}}, color = {0, 0, 127}),
        Text(extent = {{-80, 0}, {80, -80}}, textString = "T s + 1", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The transfer function is <code>k/(T*s + 1)</code>: the output follows the input with the time constant
<code>T</code>.</p>
</html>"));
  end FirstOrder;

  block SecondOrder "Second order transfer function"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter Real w(unit = "rad/s") = 1 "Natural angular frequency";
    parameter Real D = 1 "Damping ratio";
    parameter Real y_start = 0 "Initial output, if not steady";
    parameter Boolean steady = false "Begin in steady state?" annotation(Evaluate = true);
    Real yd "Derivative of the output";
  initial equation
    yd = 0;
    if steady then
      der(yd) = 0;
    else
      y = y_start;
    end if;
  equation
    der(y) = yd;
    der(yd) = w*w*(k*u - y) - 2*D*w*yd;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 80}, {80, 0}}, textString = "k", textColor = {0, 0, 127}),
        Line(points = {{-60, 0}, {60, 0}}, color = {0, 0, 127}),
        Text(extent = {{-90, 0}, {90, -70}}, textString = "(s/w)^2+2Ds/w+1", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = k/((s/w)^2 + 2*D*s/w + 1)*u</code></p>
</html>"));
  end SecondOrder;

  block PI "Proportional and integral controller"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter Units.Time T(min = Constants.small) = 1 "Integral time";
    parameter Real x_start = 0 "Initial value of the integral part, if not steady";
    parameter Boolean steady = false "Begin in steady state?" annotation(Evaluate = true);
    Real x "Integral part";
  initial equation
    if steady then
      der(x) = 0;
    else
      x = x_start;
    end if;
  equation
    der(x) = u/T;
    y = k*(u + x);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "PI", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = k*(1 + 1/(T*s))*u</code></p>
</html>"));
  end PI;

  block PID "Proportional, integral and derivative controller"
    extends Interfaces.SISO;
    parameter Real k = 1 "Gain";
    parameter Units.Time Ti(min = Constants.small) = 1 "Integral time";
    parameter Units.Time Td(min = 0) = 0.1 "Derivative time";
    parameter Real Nd(min = Constants.small) = 10 "The derivative is filtered with the time constant Td/Nd";
    parameter Real xI_start = 0 "Initial value of the integral part";
    parameter Real xD_start = 0 "Initial value of the filtered input";
    Real xI(start = xI_start, fixed = true) "Integral part";
    Real xD(start = xD_start, fixed = true) "Filtered input";
  equation
    der(xI) = u/Ti;
    der(xD) = Nd*(u - xD)/max(Td, 100*Constants.eps);
    y = k*(u + xI + Td*der(xD));
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "PID", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>y = k*(1 + 1/(Ti*s) + Td*s/(1 + Td/Nd*s))*u</code></p>
</html>"));
  end PID;

  block LimPID "PID controller with limited output, anti-windup and set point weighting"
    extends Interfaces.Block;
    type Kind = enumeration(
      P "Proportional",
      PI "Proportional and integral",
      PD "Proportional and derivative",
      PID "All three") "Which parts the controller has"
      annotation(Documentation(info = "<html>
<p>What is missing is constant: the integral part keeps its value of the beginning, the derivative part is zero.</p>
</html>"));
    parameter Kind kind = Kind.PID "Parts of the controller" annotation(Evaluate = true);
    parameter Real k(min = 0) = 1 "Gain";
    parameter Units.Time Ti(min = Constants.small) = 1 "Integral time";
    parameter Units.Time Td(min = Constants.small) = 0.1 "Derivative time";
    parameter Real yMax = Constants.inf "Upper limit of the output";
    parameter Real yMin = -yMax "Lower limit of the output";
    parameter Real wp(min = 0) = 1 "Weight of the set point in the proportional part";
    parameter Real wd(min = 0) = 0 "Weight of the set point in the derivative part";
    parameter Units.Time Tt(min = 100*Constants.eps) = 0.5*Ti
      "Time constant with which a wound-up integral part returns";
    parameter Real Nd(min = 100*Constants.eps) = 10 "The derivative is filtered with the time constant Td/Nd";
    parameter Real xI_start = 0 "Initial value of the integral part";
    parameter Real xD_start = 0 "Initial value of the filtered input of the derivative part";
    Interfaces.RealInput u_s "Set point"
      annotation(Placement(transformation(extent = {{-120, -10}, {-100, 10}})));
    Interfaces.RealInput u_m "Measured value"
      annotation(Placement(transformation(extent = {{-10, -120}, {10, -100}})));
    Interfaces.RealOutput y "Control signal"
      annotation(Placement(transformation(extent = {{100, -10}, {120, 10}})));
    Real P "Proportional part";
    Real I "Integral part";
    Real D "Derivative part";
    Real v "Control signal before the limiter";
  protected
    Real xD "Filtered input of the derivative part";
  initial equation
    if kind == Kind.PI or kind == Kind.PID then
      I = xI_start;
    end if;
    if kind == Kind.PD or kind == Kind.PID then
      xD = xD_start;
    end if;
  equation
    P = k*(wp*u_s - u_m);
    if kind == Kind.PI or kind == Kind.PID then
      der(I) = k*(u_s - u_m)/Ti + (y - v)/Tt;
    else
      I = xI_start;
    end if;
    if kind == Kind.PD or kind == Kind.PID then
      der(xD) = Nd/Td*(wd*u_s - u_m - xD);
      D = k*Td*der(xD);
    else
      xD = xD_start;
      D = 0;
    end if;
    v = P + I + D;
    y = smooth(0, if v > yMax then yMax else if v < yMin then yMin else v);
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 40}, {80, -40}}, textString = "PID", textColor = {0, 0, 127}),
        Line(points = {{-90, 70}, {-30, 70}, {30, 90}, {90, 90}}, color = {0, 0, 127})}),
      Documentation(info = "<html>
<p>The control signal <code>v</code> is limited to the range from <code>yMin</code> to <code>yMax</code>. While the
limit is active the difference <code>y - v</code> is fed back to the integral part, which keeps it from running away
and lets the controller leave the limit in time. Weights below one for the set point make the answer to steps of the
set point softer without changing how disturbances are controlled.</p>
</html>"));
  end LimPID;

  block TransferFunction "Linear transfer function"
    extends Interfaces.SISO;
    parameter Real b[:] = {1} "Coefficients of the numerator, highest power first";
    parameter Real a[:] = {1, 1} "Coefficients of the denominator, highest power first";
    parameter Boolean steady = false "Begin in steady state?" annotation(Evaluate = true);
    parameter Real x_start[n] = zeros(n) "Initial state, if not steady";
    Real x[n] "State, highest derivative first (controllable canonical form)";
  protected
    final parameter Integer n = size(a, 1) - 1 "Order";
    parameter Real bs[n + 1] = cat(1, zeros(n + 1 - size(b, 1)), b)/a[1]
      "Numerator, filled up to the length of the denominator and scaled";
    parameter Real as[n + 1] = a/a[1] "Denominator, scaled";
  initial equation
    if steady then
      der(x) = zeros(n);
    else
      x = x_start;
    end if;
  equation
    assert(size(b, 1) <= size(a, 1), "The transfer function has a numerator of higher degree than its denominator.");
    if n == 0 then
      y = bs[1]*u;
    else
      der(x[1]) = u - as[2:n + 1]*x;
      der(x[2:n]) = x[1:n - 1];
      y = bs[1]*u + (bs[2:n + 1] - bs[1]*as[2:n + 1])*x;
    end if;
    annotation(
      Icon(graphics = {
        Text(extent = {{-80, 80}, {80, 0}}, textString = "b(s)", textColor = {0, 0, 127}),
        Line(points = {{-60, 0}, {60, 0}}, color = {0, 0, 127}),
        Text(extent = {{-80, 0}, {80, -80}}, textString = "a(s)", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p>For <code>b = {b1, b2}</code> and <code>a = {a1, a2, a3}</code> the transfer function is
<code>(b1*s + b2)/(a1*s^2 + a2*s + a3)</code>. It is written in state space form with as many states as the
denominator has powers; the numerator may have at most the same degree.</p>
</html>"));
  end TransferFunction;

  block StateSpace "Linear system in state space form"
    extends Interfaces.MIMO(final nu = size(B, 2), final ny = size(C, 1));
    parameter Real A[:, size(A, 1)] = [-1] "System matrix";
    parameter Real B[size(A, 1), :] = [1] "Input matrix";
    parameter Real C[:, size(A, 1)] = [1] "Output matrix";
    parameter Real D[size(C, 1), size(B, 2)] = zeros(size(C, 1), size(B, 2)) "Feedthrough matrix";
    parameter Real x_start[size(A, 1)] = zeros(size(A, 1)) "Initial state, if not steady";
    parameter Boolean steady = false "Begin in steady state?" annotation(Evaluate = true);
    Real x[size(A, 1)] "State";
  initial equation
    if steady then
      der(x) = zeros(size(A, 1));
    else
      x = x_start;
    end if;
  equation
    der(x) = A*x + B*u;
    y = C*x + D*u;
    annotation(
      Icon(graphics = {
        Text(extent = {{-90, 70}, {90, 10}}, textString = "x'=Ax+Bu", textColor = {0, 0, 127}),
        Text(extent = {{-90, -10}, {90, -70}}, textString = "y=Cx+Du", textColor = {0, 0, 127})}),
      Documentation(info = "<html>
<p><code>der(x) = A*x + B*u</code>, <code>y = C*x + D*u</code>, for any number of inputs, states and outputs.</p>
</html>"));
  end StateSpace;
  annotation(
    Icon(graphics = {
      Rectangle(extent = {{-100, -100}, {100, 100}},
        lineColor = {0, 0, 127}, fillColor = {255, 255, 255}, fillPattern = FillPattern.Solid),
      Line(points = {{-60, -60}, {-50, 0}, {-20, 50}, {60, 55}}, color = {0, 0, 127}, smooth = Smooth.Bezier)}),
    Documentation(info = "<html>
<p>Blocks with states: their outputs depend on the past of their inputs.</p>
</html>"));
end Continuous;
