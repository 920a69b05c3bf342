// expect: K0240
type Angle
  extends Real;
  function equalityConstraint input Angle a; input Angle b; output Real residue[0]; algorithm end equalityConstraint;
end Angle;
connector Plug
  Real v;
  flow Real i;
  Angle theta;
end Plug;
model M "the surroundings decide theta, but not what v is"
  Plug a;
  Plug b;
equation
  Connections.branch(a.theta, b.theta);
  b.theta = a.theta;
  a.i + b.i = 0;
end M;
