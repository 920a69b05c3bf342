// expect: K0316
model M "a value of the wrong size for an array of components"
  model R
    parameter Real a = 1;
  end R;
  R r[3](a = {1, 2});
end M;
