// expect: K0388
model M
  function f
    output Real y;
    protected
      input Real u;
    algorithm
      y := u;
  end f;
  Real x = f(time);
end M;
