// expect: K0320
model M
  function f
    input Real u;
    input Real v = w;
    output Real y;
    protected
      Real w;
    algorithm
      y := u + v;
  end f;
  Real x = f(time);
end M;
