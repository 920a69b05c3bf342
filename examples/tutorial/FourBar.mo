// A loop: parts that go round and meet again.
//
// Of the three joints of the chain only one is free to move; the other two follow, because the end of the chain is
// held. The last joint of the loop is a cut-joint, which says that two points coincide. The translator differentiates
// these equations twice and solves a small nonlinear system for the positions.

model FourBar "A driven four-bar linkage"
  inner Kausal.MultiBody.World world "Gravity, along -z";
  Kausal.MultiBody.Revolute crankBearing(n = {0, 1, 0}, useAxis = true, q(start = 0, fixed = true),
    qd(start = 10, fixed = true)) "Turns the crank";
  Kausal.MultiBody.Link crank(r = {0, 0, 0.1}, m = 0.5, I_22 = 0.0005) "Crank";
  Kausal.MultiBody.Revolute pin(n = {0, 1, 0}, q(start = 1.2), stateSelect = StateSelect.default) "Crank to coupler";
  Kausal.MultiBody.Link coupler(r = {0, 0, 0.4}, m = 1, I_22 = 0.014) "Coupler";
  Kausal.MultiBody.Bar base(r = {0.35, 0, 0}) "The other end of the base";
  Kausal.MultiBody.Revolute rockerBearing(n = {0, 1, 0}, q(start = 0.2), stateSelect = StateSelect.default) "Rocker";
  Kausal.MultiBody.Link rocker(r = {0, 0, 0.25}, m = 0.8, I_22 = 0.005) "Rocker";
  Kausal.MultiBody.CutJoints.PlanarRevolute closing(n = {0, 1, 0}) "Coupler and rocker meet";
  Kausal.Rotational.Sources.ConstantTorque motor(tau = 2) "Drives the crank";
  Kausal.Rotational.Damper damper(d = 0.1) "Takes the energy out again";
  Kausal.Rotational.Fixed housing "At rest";
equation
  connect(world.frame, crankBearing.a);
  connect(crankBearing.b, crank.a);
  connect(crank.b, pin.a);
  connect(pin.b, coupler.a);
  connect(world.frame, base.a);
  connect(base.b, rockerBearing.a);
  connect(rockerBearing.b, rocker.a);
  connect(coupler.b, closing.a);
  connect(rocker.b, closing.b);
  connect(motor.flange, crankBearing.axis);
  connect(damper.a, crankBearing.axis);
  connect(damper.b, housing.flange);
  annotation(experiment(StartTime = 0, StopTime = 3, Tolerance = 1e-6));
end FourBar;
