// expect: K0214
package Lib
  type Voltage = Real(final unit = "V");
  model M "a final unit is modified"
    Voltage v(unit = "mV") = 1;
  end M;
end Lib;
