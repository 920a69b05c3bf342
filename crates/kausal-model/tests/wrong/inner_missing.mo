// expect: K0221
package Lib
  model World
    parameter Real g = 9.81;
  end World;
  model Mass
    outer World world;
    Real f = world.g;
  end Mass;
  model M "no inner world: a warning, and one is added"
    Mass m;
  end M;
end Lib;
