// expect: K0247
model M
  type Length
    extends Real(unit = "m");
    Real tolerance = 0.1;
  end Length;
  Length x = time;
end M;
