// 3.7: operators with function syntax.
model Operators
  Real x(start = 1, fixed = true);
  Real u = sin(time);
  Boolean b = u > 0.5;
  Boolean up = edge(b);
  Boolean changed(start = false, fixed = true);
  Integer i = integer(10*u);
  Real r1 = floor(u) + ceil(u) + div(7, 2) + mod(u, 2) + rem(u, 3);
  Real r2 = abs(u) + sign(u) + sqrt(u^2 + 1);
  Real r3 = noEvent(if u > 0 then u else -u);
  Real r4 = smooth(1, if u > 0 then u^2 else 0);
  Real r5 = delay(u, 0.1) + delay(u, 0.1*x, 1);
  Real r6 = homotopy(u^3, u);
  Real r7 = semiLinear(u, 2, 3);
  Real r8 = if initial() then 0 elseif terminal() then 1 else 2;
  String s = String(0.1*i, significantDigits = 4) + ";" + String(i) + String(b);
  String name = getInstanceName();
equation
  der(x) = -x + der(u);
  when change(i) or sample(0, 0.25) then
    changed = not pre(changed);
  end when;
end Operators;
