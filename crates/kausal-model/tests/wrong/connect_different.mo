// expect: K0233
package Lib
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  connector Flange
    Real phi;
    flow Real tau;
  end Flange;
  model M "an electrical and a mechanical connector"
    Pin a;
    Flange b;
  equation
    connect(a, b);
  end M;
end Lib;
