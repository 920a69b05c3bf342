// expect: K0233
package Lib
  connector RealInput = input Real;
  connector BooleanOutput = output Boolean;
  model M "a Boolean and a Real"
    BooleanOutput a = time > 1;
    RealInput b;
  equation
    connect(a, b);
  end M;
end Lib;
