model Pendulum "Planar mechanics, by hand"
  encapsulated package Types
    type Angle = Real(final quantity = "Angle", final unit = "rad");
    type Position2D = Real[2](each final unit = "m");
  end Types;
  parameter Real m = 1, L(min = 1e-3) = 1, g = 9.81;
  parameter Types.Angle phi0 = 0.5;
  Types.Angle phi(start = phi0, fixed = true);
  Real w(start = 0, fixed = true);
  Types.Position2D r = L*{sin(phi), -cos(phi)};
  Real[2] v = der(r), a = der(v);
  Real F;
  Real T = 0.5*m*v*v, V = m*g*r[2];
  final constant Boolean check = true;
  redeclare replaceable partial model extends Base
  end Base;
initial equation
  assert(L > 0, "no length");
equation
  w = der(phi);
  m*a = -F*r/L + {0, -m*g};
  when phi > Modelica.Constants.pi then
    reinit(phi, phi - 2*Modelica.Constants.pi);
  end when;
end Pendulum;
type Length = Real(unit = "m");
final function id "identity"
  input Real x;
  output Real y = x;
algorithm
end id;
