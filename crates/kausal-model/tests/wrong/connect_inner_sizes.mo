// expect: K0233 K0243
package Lib
  connector Bus
    parameter Integer n = 2;
    Real v[n];
    flow Real i[n];
  end Bus;
  model M "connectors of different sizes"
    Bus a(n = 2);
    Bus b(n = 3);
  equation
    connect(a, b);
  end M;
end Lib;
