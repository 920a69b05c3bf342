// expect: K0317
model M
  record R
    Real a;
  end R;
  function f
    output R r = R(1);
  algorithm
  end f;
  Real x = f();
end M;
