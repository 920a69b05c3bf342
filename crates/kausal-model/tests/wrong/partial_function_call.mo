// expect: K0222
model M
  partial function f
    input Real u;
    output Real y;
  end f;
  Real x = f(time);
end M;
