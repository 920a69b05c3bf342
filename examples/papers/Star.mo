model Star "Relaxing, section 9: a tree of f revolute joints: three chains that begin at one body, each joint added to the next of them"
  import Kausal.MultiBody.WorldFrame.*;
  parameter Integer f(min = 2) = 7 "Number of joints";
  World world "Gravity";
  Revolute joint[f](
    n = {{sin(i), cos(i), 0.5} for i in 1:f},
    q(start = {0.1*i for i in 1:f}, each fixed = true),
    qd(each start = 0, each fixed = true)) "Joints";
  Link link[f](
    r = {{0.3, 0.05*cos(i), -0.2} for i in 1:f},
    r_CM = {{0.15, 0.02, -0.1 + 0.01*sin(i)} for i in 1:f},
    each m = 1, each I_11 = 0.02, each I_22 = 0.03, each I_33 = 0.025,
    each I_21 = 0.002, each I_31 = -0.001, each I_32 = 0.003) "Bodies";
equation
  connect(world.b, joint[1].a);
  for i in 1:f loop
    connect(joint[i].b, link[i].a);
  end for;
  for i in 2:f loop
    connect(link[if i > 4 then i - 3 else 1].b, joint[i].a);
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-8));
end Star;
