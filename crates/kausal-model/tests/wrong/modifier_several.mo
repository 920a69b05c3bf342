// expect: K0213 K0213
model M "two modifiers too many"
  model R
    parameter Real a = 1;
  end R;
  R r(a = 1, b = 2, c = 3);
end M;
