// expect: K0221 K0228
model M
  model Earth
    parameter Real g = 9.81;
  end Earth;
  model Moon
    parameter Real g = 1.62;
  end Moon;
  model A
    outer Earth world;
    Real x = world.g*time;
  end A;
  model B
    outer Moon world;
    Real x = world.g*time;
  end B;
  A a;
  B b;
end M;
