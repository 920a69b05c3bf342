// expect: K0202
model M "a misspelt type"
  Resistr r;
  model Resistor
    parameter Real R = 1;
  end Resistor;
end M;
