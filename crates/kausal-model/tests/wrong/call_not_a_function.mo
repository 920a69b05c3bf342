// expect: K0207
model M "a model is not a function"
  model R
    Real x = 1;
  end R;
  Real y = R(1);
end M;
