// expect: K0324
// One of two results is an Integer, and follows from what varies continuously.
model M
  function f
    input Real u;
    input Integer k;
    output Integer a;
    output Real b;
    output Integer c;
  algorithm
    a := integer(u);
    b := 2*u;
    c := k + 1;
  end f;
  Integer x, z;
  Real y;
equation
  (x, y, z) = f(3*time, 2);
end M;
