// expect: K0231
package Lib
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  model Ground
    Pin p;
  equation
    p.v = 0;
  end Ground;
  model M "two pins and three"
    Pin a[2];
    Pin b[3];
  equation
    connect(a, b);
  end M;
end Lib;
