// The robot.
//
// Kausal.Examples.Robot has six axes with motors, gears, filters and controllers: some 2500 equations, 66 states. A
// model is changed by extending it and saying what is different; here the load is heavier and the motion another one.
// Compare mechanics.r2.q with path.q[2] to see how well the second axis follows.

model Robot "The six-axis robot with a heavier load and another motion"
  extends Kausal.Examples.Robot(
    q_begin = {0, 0.2, 1.2, 0, 0.4, 0},
    q_end = {1.5, 0.8, 0.6, -0.8, 0.9, 1.6},
    mechanics(load = 20));
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-6));
end Robot;
