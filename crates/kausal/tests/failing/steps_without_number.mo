// expect: K0513
// says: integer
// Steps of a millionth of a millionth of the run.
model M
  Real y = integer(1e12*time);
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
end M;
