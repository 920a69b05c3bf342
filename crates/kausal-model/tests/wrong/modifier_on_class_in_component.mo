// expect: K0317
model M
  model A
    parameter Real p = 1;
  end A;
  A a(p(start = 2, min = "x"));
end M;
