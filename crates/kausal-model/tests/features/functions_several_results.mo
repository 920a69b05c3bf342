// 12.4.3: several results, some of them left out; records as results in expressions.
record Polar
  Real r;
  Real phi;
end Polar;
function polar
  input Real x;
  input Real y;
  output Polar p;
algorithm
  p.r := sqrt(x^2 + y^2);
  p.phi := atan2(y, x);
end polar;
function three
  input Real u;
  input Boolean up = true;
  output Real a;
  output Real b[2];
  output Boolean c;
algorithm
  a := u;
  b := {u^2, u^3};
  c := not up;
end three;
function angle
  input Real x;
  output Real phi;
protected
  Polar p;
algorithm
  p := polar(x, 1);
  phi := p.phi;
end angle;
model FunctionsSeveralResults
  Real a;
  Real b[2];
  Boolean c;
  Real only[2];
  Polar p = polar(time, 2);
  Polar q;
  Real phi = angle(time);
  discrete Real d(start = 0, fixed = true);
  discrete Real e[2](each start = 0, each fixed = true);
equation
  (a, b, c) = three(time, time > 0.5);
  (, only) = three(2*time);
  q.r = p.phi + 1;
  q.phi = sum(only);
  when time > 1 then
    (d, e) = three(time);
  end when;
end FunctionsSeveralResults;
