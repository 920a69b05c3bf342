model TwistedChain "A chain of f revolute joints along the third axis of their frames, as Denavit and Hartenberg choose them"
  import Kausal.MultiBody.*;
  parameter Integer f(min = 1) = 6 "Number of joints";
  inner World world "Gravity";
  Revolute joint[f](
    each n = {0, 0, 1},
    q(start = {0.1*i for i in 1:f}, each fixed = true),
    qd(each start = 0, each fixed = true)) "Joints";
  Link link[f](
    r = {{0.3, 0.05*cos(i), -0.2} for i in 1:f},
    r_CM = {{0.15, 0.02, -0.1 + 0.01*sin(i)} for i in 1:f},
    each m = 1, each I_11 = 0.02, each I_22 = 0.03, each I_33 = 0.025,
    each I_21 = 0.002, each I_31 = -0.001, each I_32 = 0.003) "Bodies";
  FixedRotation twist[f](each n = {1, 0, 0}, angle = {0.5 + 0.1*i for i in 1:f}) "From one axis to the next";
equation
  connect(world.frame, joint[1].a);
  for i in 1:f loop
    connect(joint[i].b, link[i].a);
    connect(link[i].b, twist[i].a);
  end for;
  for i in 1:f - 1 loop
    connect(twist[i].b, joint[i + 1].a);
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end TwistedChain;
