// expect: K0213 K0213
model M "no such parameter two levels down"
  model Resistor
    parameter Real R = 1;
  end Resistor;
  model Circuit
    Resistor r1;
  end Circuit;
  Circuit c(r1(RR = 10));
  Circuit d(r1.RR = 10);
end M;
