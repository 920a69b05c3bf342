// expect: K0532
// says: j1.qdd
// Two joints with the same axis, and nothing inert about it between them: only the sum of their accelerations is determined.
model M
  import Kausal.MultiBody.*;
  inner World world;
  Revolute j1(n = {0, 1, 0}, q(start = 0, fixed = true), qd(start = 0, fixed = true));
  Link thin(r = {0, 0.5, 0}, r_CM = {0, 0, 0});
  Revolute j2(n = {0, 1, 0}, q(start = 0, fixed = true), qd(start = 0, fixed = true));
  Link arm(r = {0.5, 0, 0}, I_11 = 0.1, I_22 = 0.1, I_33 = 0.1);
equation
  connect(world.frame, j1.a);
  connect(j1.b, thin.a);
  connect(thin.b, j2.a);
  connect(j2.b, arm.a);
end M;
