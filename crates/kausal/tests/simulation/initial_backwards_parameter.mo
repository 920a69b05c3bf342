// The initial equation says what the dependent parameter is.
model M
  parameter Real p(fixed = false);
  parameter Real q = 2*p;
  Real x = p;
initial equation
  q = 8;
end M;
