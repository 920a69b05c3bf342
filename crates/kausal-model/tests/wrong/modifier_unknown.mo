// expect: K0213
model M "no such parameter"
  model Resistor
    parameter Real resistance = 1;
  end Resistor;
  Resistor r(resistence = 10);
end M;
