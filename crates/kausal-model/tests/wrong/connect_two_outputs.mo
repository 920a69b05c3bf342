// expect: K0229
package Lib
  connector RealOutput = output Real;
  block Source
    RealOutput y = 1;
  end Source;
  model M "two outputs"
    Source a;
    Source b;
  equation
    connect(a.y, b.y);
  end M;
end Lib;
