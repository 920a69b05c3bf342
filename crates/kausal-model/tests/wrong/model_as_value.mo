// expect: K0319
model M "a component of a model class is not a value"
  model R
    Real x = 1;
  end R;
  R r;
  Real y = r;
end M;
