// expect: K0240 K0241
package Lib
  connector RealOutput = output Real;
  connector RealInput = input Real;
  block Gain
    RealInput u;
    RealOutput y;
  equation
    y = 2*u;
    y = u + 1;
  end Gain;
  block Source
    RealOutput y = time;
  end Source;
  model M "one component has an equation too many"
    Source s;
    Gain g[2];
  equation
    connect(s.y, g[1].u);
    connect(g[1].y, g[2].u);
  end M;
end Lib;
