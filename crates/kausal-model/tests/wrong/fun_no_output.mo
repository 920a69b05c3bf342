// expect: K0317
model M
  function f
    input Real u;
    algorithm
    assert(u > 0, "no");
  end f;
  Real x = f(time);
end M;
