// expect: K0226
model M
  model A
    Real x = time;
  end A;
  A a(x(start = 1), x(start = 2));
end M;
