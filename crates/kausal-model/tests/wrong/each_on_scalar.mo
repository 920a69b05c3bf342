// expect: K0227
model M "each has no meaning for a single component"
  model R
    parameter Real a = 1;
  end R;
  R r(each a = 2);
end M;
