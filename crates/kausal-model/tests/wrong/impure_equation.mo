// expect: K0392 K0392
model M
  impure function measure
    input Real t;
    output Real y;
    external "C" y = measure(t);
  end measure;
  Real x = 2*measure(time);
  Real y;
equation
  y + measure(2*time) = 1;
end M;
