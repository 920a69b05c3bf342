// expect: K0232
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
  model M "components are not connectors"
    Ground g;
    Ground h;
  equation
    connect(g, h);
  end M;
end Lib;
