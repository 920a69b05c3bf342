// expect: K0317
model M
  operator record C
    Real re;
    operator function '+'
      input C a;
      input C b;
      output C c;
    algorithm
      c.re := a.re + b.re;
    end '+';
  end C;
  C a = C(1);
  C b = a + true;
end M;
