// expect: K0240 K0241
model M
  block B
    input Real u;
    Real z = u;
  equation
    u = 3;
  end B;
  B b(u = time);
end M;
