// expect: K0226
model M "one element modified twice"
  model R
    parameter Real a = 1;
  end R;
  R r(a = 1, a = 2);
end M;
