// expect: K0240 K0241
model M
  block B
    output Real y;
  end B;
  B b;
end M;
