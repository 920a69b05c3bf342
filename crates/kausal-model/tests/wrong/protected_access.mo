// expect: K0218
model M "a protected member used from outside"
  model R
    parameter Real R = 1;
  protected
    Real power = 2*R;
  end R;
  R r;
  Real p = r.power;
end M;
