// expect: K0316
model M "with each every element gets the whole array"
  model R
    parameter Real a = 1;
  end R;
  R r[3](each a = {1, 2, 3});
end M;
