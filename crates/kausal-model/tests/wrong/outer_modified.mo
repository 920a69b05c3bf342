// expect: K0248 K0248
model M
  model World
    parameter Real g = 9.81;
  end World;
  model Ball
    outer World world(g = 1);
    Real v = world.g*time;
  end Ball;
  model Stone
    outer World world;
    Real v = world.g*time;
  end Stone;
  inner World world;
  Ball ball;
  Stone stone(world.g = 2);
end M;
