// expect: K0202
model Circuit "a misspelt type"
  Resistr r;
  model Resistor
    parameter Real R = 1;
  end Resistor;
end Circuit;
