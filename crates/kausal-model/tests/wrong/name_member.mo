// expect: K0202
model M "a component without that member"
  model R
    Real current = 2;
  end R;
  R r;
  Real y = r.curent;
end M;
