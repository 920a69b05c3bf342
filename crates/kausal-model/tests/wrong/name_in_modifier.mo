// expect: K0202
model M "the value of a modifier uses an unknown name"
  model R
    parameter Real resistance = 1;
  end R;
  parameter Real value = 10;
  R r(resistance = vlaue);
end M;
