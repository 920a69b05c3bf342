// expect: K0228
package Lib
  model World
    parameter Real g = 9.81;
  end World;
  model Other
    parameter Real h = 1;
  end Other;
  model Mass
    outer World world;
    Real f = 1;
  end Mass;
  model M "the inner component is of another class"
    inner Other world;
    Mass m;
  end M;
end Lib;
