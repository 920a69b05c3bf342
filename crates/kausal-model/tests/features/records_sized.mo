// 4.6 and 12.6: sizes of fields that are made of other fields, in records given to functions.
record Base
  Real a = 1;
end Base;
record Sized
  extends Base(a = 2);
  parameter Integer n = 2;
  Real v[n] = fill(a, n);
  Base sub(a = a);
end Sized;
record Open
  parameter Integer m;
  Real w[m, 2];
end Open;
function total
  input Sized s;
  output Real y = s.a + sum(s.v) + s.sub.a;
end total;
function stretched
  input Open o;
  input Real k;
  output Real y[o.m, 2];
protected
  Open r(m = o.m);
algorithm
  r.w := k*o.w;
  y := r.w;
end stretched;
model RecordsSized
  Sized s(n = 3, a = time);
  parameter Sized p = Sized(a = 4, n = 1, v = {9}, sub = Base(7));
  Real y = total(s);
  parameter Real z = total(p);
  Sized q = s;
  Open o(m = 2);
  Real t[2, 2] = stretched(o, time);
  constant Base k(a = 3);
  Real kk = k.a*time;
equation
  o.w = [time, 1; 2, time];
end RecordsSized;
