// expect: K0214
model M "a final parameter is modified"
  model R
    final parameter Real a = 1;
  end R;
  R r(a = 2);
end M;
