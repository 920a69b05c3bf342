// expect: K0202
model M "a library that is not there is reported once"
  Machines.Motor motor;
  Machines.Shaft shaft;
  Machines.Load load;
equation
  connect(motor.flange, shaft.a);
  connect(shaft.b, load.flange);
end M;
