// expect: K0369
model M "connect in when"
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  Pin a;
  Pin b;
equation
  when time > 1 then
    connect(a, b);
  end when;
end M;
