// expect: K0246
model M
  model A
    parameter Real k = 1;
    Real x = k*time;
  end A;
  A a(k = 2);
  A b = a;
end M;
