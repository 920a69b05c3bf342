// expect: K0339
model M "16 million results"
  function g
    input Real u[:];
    output Real y[16*size(u, 1)];
  algorithm
    y := fill(u[1], 16*size(u, 1));
  end g;
  Real x[:] = g(g(g(g(g(g({time}))))));
end M;
