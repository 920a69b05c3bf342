// expect: K0349
model M "the derivative of a discrete variable"
  discrete Real d(start = 0, fixed = true);
  Real x = der(d);
equation
  when time > 1 then
    d = 2;
  end when;
end M;
