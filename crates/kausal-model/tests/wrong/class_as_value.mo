// expect: K0204
model M "a class is not a value"
  model R
    Real x = 1;
  end R;
  Real y = R;
end M;
