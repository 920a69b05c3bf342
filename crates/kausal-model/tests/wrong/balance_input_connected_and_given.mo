// expect: K0240
package Lib
  connector In = input Real;
  connector Out = output Real;
  block Source
    Out y;
  equation
    y = time;
  end Source;
  block Gain
    In u;
    Out y;
  equation
    y = 2*u;
  end Gain;
  model M
    Source a;
    Gain g;
  equation
    connect(a.y, g.u);
    g.u = 3;
  end M;
end Lib;
