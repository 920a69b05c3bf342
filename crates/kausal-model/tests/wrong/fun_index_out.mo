// expect: K0363 K0375
model M
  function f
    input Real u;
    output Real y;
    protected
      Real t[2];
    algorithm
      t[3] := u;
      y := t[1];
  end f;
  Real x = f(time);
end M;
