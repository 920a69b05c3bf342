// expect: K0233
package Lib
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  connector Plug
    Real v;
    Real i;
  end Plug;
  model M "a flow variable and one that is none"
    Pin a;
    Plug b;
  equation
    connect(a, b);
  end M;
end Lib;
