// expect: K0240 K0242
package Lib
  connector RealInput = input Real;
  connector RealOutput = output Real;
  block Gain
    RealInput u;
    RealOutput y = 2*u;
  end Gain;
  model M "an input is not connected"
    Gain g;
  end M;
end Lib;
