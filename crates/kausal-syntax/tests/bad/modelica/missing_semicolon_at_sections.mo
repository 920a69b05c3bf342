model M
  extends Base
protected
  Real x
equation
  x = 1
algorithm
  y := 2
end M;
