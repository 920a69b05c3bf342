// expect: K0324
model M "so does one in a record"
  record P Integer k; Real w; end P;
  function h input Real x; output P p; algorithm p.k := integer(10*x); p.w := x; end h;
  P p;
equation
  p = h(time);
end M;
