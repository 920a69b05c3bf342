// expect: K0388
model M
  function f
    input Real u;
    Real t;
    output Real y;
    algorithm
      t := u;
      y := t;
  end f;
  Real x = f(time);
end M;
