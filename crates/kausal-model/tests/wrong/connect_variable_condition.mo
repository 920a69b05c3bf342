// expect: K0230
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
  model M "a connection that comes and goes"
    Ground g;
    Ground h;
  equation
    if time > 1 then
      connect(g.p, h.p);
    end if;
  end M;
end Lib;
