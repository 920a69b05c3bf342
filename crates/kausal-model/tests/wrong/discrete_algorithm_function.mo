// expect: K0324 K0324
model M "functions cause no events in algorithm sections either"
  function h input Real x; output Integer k; output Real w; algorithm k := integer(10*x); w := x; end h;
  Integer k, n;
  Real w;
algorithm
  (k, w) := h(time);
  n := k + 1;
end M;
