// expect: K0224
function M "not a model"
  input Real u;
  output Real y;
algorithm
  y := u;
end M;
