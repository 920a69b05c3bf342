// expect: K0375 K0383
model M "a function without an algorithm"
  function f
    input Real u;
    output Real y;
  end f;
  Real x = f(time);
end M;
