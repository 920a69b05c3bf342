// expect: K0511
// says: hit too hard
// recorded: 0.4
// An assertion in a when clause.
model M
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    assert(v > -1, "hit too hard");
    reinit(v, -v);
  end when;
end M;
