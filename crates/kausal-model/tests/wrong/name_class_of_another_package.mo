// expect: K0202
package Lib
  package Parts
    model Resistor
      Real x = time;
    end Resistor;
  end Parts;
  model M
    Resistor r;
  end M;
end Lib;
