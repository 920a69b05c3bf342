// expect: K0322
model M
  model A
    constant Real c = 1;
    Real x = c;
  end A;
  Real t = time;
  A a(c = t);
end M;
