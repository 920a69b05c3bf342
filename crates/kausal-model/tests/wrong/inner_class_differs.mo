// expect: K0228
model M
  partial function Field
    input Real x;
    input Real y;
    output Real g;
  end Field;
  model Probe
    outer function field = Field;
    Real g = time;
  end Probe;
  inner function field
    input Real x;
    output Real g;
  algorithm
    g := x;
  end field;
  Probe probe;
end M;
