// Into three dimensions.
//
// World, joint, rod: connected in a row they are a pendulum. The frames between them carry positions, velocities,
// accelerations, forces and torques, some 250 unknowns; what is left to be solved at each step is one equation.

model Pendulum "Two rods swing in planes that stand at right angles"
  inner Kausal.MultiBody.World world "Gravity, along -z";
  Kausal.MultiBody.Revolute joint1(n = {0, 1, 0}, q(start = 1, fixed = true), qd(start = 0, fixed = true)) "First axis";
  Kausal.MultiBody.Link rod1(r = {0, 0, -0.5}, m = 1, I_11 = 0.021, I_22 = 0.021) "First rod";
  Kausal.MultiBody.Revolute joint2(n = {1, 0, 0}, q(start = 0.5, fixed = true), qd(start = 0, fixed = true))
    "Second axis";
  Kausal.MultiBody.Link rod2(r = {0, 0, -0.4}, m = 0.8, I_11 = 0.011, I_22 = 0.011) "Second rod";
equation
  connect(world.frame, joint1.a);
  connect(joint1.b, rod1.a);
  connect(rod1.b, joint2.a);
  connect(joint2.b, rod2.a);
  annotation(experiment(StartTime = 0, StopTime = 5, Tolerance = 1e-6));
end Pendulum;
