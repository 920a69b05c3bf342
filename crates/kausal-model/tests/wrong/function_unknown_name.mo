// expect: K0202 K0375
model M "a wrong name in a function"
  function f
    input Real u;
    output Real y;
  algorithm
    y := uu;
  end f;
  Real x = f(time);
end M;
