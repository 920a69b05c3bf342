model ArraySizes "sizes made of other sizes of the same array"
  parameter Real A[:, size(A, 1)] = [0, 1; -1, 0];
  parameter Real B[size(B, 2), :] = [1, 2, 3; 4, 5, 6; 7, 8, 9];
  block StateSpace
    parameter Real A[:, size(A, 1)];
    parameter Real B[size(A, 1), :];
    parameter Real C[:, size(A, 1)];
    parameter Real D[size(C, 1), size(B, 2)] = zeros(size(C, 1), size(B, 2));
    input Real u[size(B, 2)];
    output Real y[size(C, 1)];
    Real x[size(A, 1)](each start = 1, each fixed = true);
  equation
    der(x) = A*x + B*u;
    y = C*x + D*u;
  end StateSpace;
  StateSpace plant(A = A, B = [0; 1], C = [1, 0], u = {time});
end ArraySizes;
