// expect: K0392
model M
  impure function measure
    input Real t;
    output Real y;
    external "C" y = measure(t);
  end measure;
  Real x;
algorithm
  x := measure(time);
end M;
