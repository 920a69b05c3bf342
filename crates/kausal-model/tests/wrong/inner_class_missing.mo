// expect: K0221 K0375 K0383
model M
  partial function Field
    input Real x;
    output Real y;
  end Field;
  model Probe
    outer function field = Field;
    Real g = field(time);
  end Probe;
  Probe probe;
end M;
