// expect: K0392 K0375
model M
  impure function measure
    input Real t;
    output Real y;
    external "C" y = measure(t);
  end measure;
  function twice
    input Real t;
    output Real y;
  algorithm
    y := 2*measure(t);
  end twice;
  Real x = twice(time);
end M;
