// expect: K0202 K0213 K0316 K0317
model M "several mistakes of different kinds, all found in one run"
  model R
    parameter Real resistance = 1;
  end R;
  R r(resistence = 2);
  parameter Real a[2] = {1, 2, 3};
  parameter Integer n = "two";
  Real x;
equation
  x = y0;
end M;
