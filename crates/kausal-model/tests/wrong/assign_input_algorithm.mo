// expect: K0325
block M "an input is assigned"
  input Real u;
  output Real y;
algorithm
  u := 1;
  y := u;
end M;
