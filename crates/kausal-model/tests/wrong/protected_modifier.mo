// expect: K0218
model M "a protected parameter modified from outside"
  model R
  protected
    parameter Real secret = 1;
    Real x = secret;
  end R;
  R r(secret = 2);
end M;
