// expect: K0420
// A start value and two initial equations say the same of a discrete variable: one warning for both that are too many.
model M
  discrete Real n(start = 0, fixed = true);
  Real x(start = 1, fixed = true);
initial equation
  pre(n) = 0;
  pre(n) = 0;
equation
  der(x) = -x;
  when x < 0.5 then
    n = pre(n) + 1;
  end when;
end M;
