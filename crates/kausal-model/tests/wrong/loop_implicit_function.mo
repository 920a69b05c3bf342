// expect: K0355 K0375
model M
  function f
    input Real u[:];
    output Real y = 0;
  algorithm
    for i loop
      y := y + i;
    end for;
  end f;
  Real x = f({time, 1});
end M;
