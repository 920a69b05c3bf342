// expect: K0324
model M "an Integer result beside an array follows a continuous argument"
  function h input Real x; output Integer k; output Real w[2]; algorithm k := integer(10*x); w := {x, k}; end h;
  Integer k;
  Real w[2];
equation
  (k, w) = h(time);
end M;
