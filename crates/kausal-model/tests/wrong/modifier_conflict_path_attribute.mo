// expect: K0226
model M
  model A
    Real x = time;
  end A;
  A a(x.start = 2, x(start = 3));
end M;
