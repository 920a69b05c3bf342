model Arrays
  parameter Integer n = 3, m = size(A, 2);
  parameter Real A[:, :] = [1, 2, 3; 4, 5, 6; 7, 8, 9.5];
  type Vector = Real[3](each unit = "m");
  Vector[2] path[n] "n times 2 times 3";
  Real x[n], y[n] = A*x, z[size(x, 1) - 1];
  Real row[1, n] = [transpose([x])], col[n, 1] = [x];
  Real H[n, n] = {1/(i + j - 1) for i in 1:n, j in 1:n};
  Real s = sum(x[i]^2 for i in 1:n) + product(k for k in {1, 2, 3}) + min(i*j for i in 1:2, j in 3:4);
  Boolean b[Boolean] = {true, false};
  Real e[Colour] = {0.1, 0.2, 0.3};
  type Colour = enumeration(red, green "the colour of grass", blue);
  Integer evens[:] = 0:2:10;
  Real block_[2*n, 2*n] = [A, zeros(n, n); identity(n), -A];
  Real scaled[n] = x .* y ./ (x .+ 1) .^ 2 .- 0.5;
  Real last = x[end] + A[end, end - 1] + y[min(end, 2)];
  Real nested[2, 2] = {{1, 2}, {3, 4}};
  Real empty[0] = fill(0.0, 0);
equation
  x[1] = 1;
  x[2:end] = {2*i for i in 2:n};
  for i in 1:n, j in 1:2 loop
    path[i, j, :] = {i, j, time};
  end for;
  for i loop
    z[i] = x[i] + x[i + 1];
  end for;
  annotation (Documentation(info = "<html><p>Arrays, \"quoted\" &amp; nested.</p></html>", revisions = ""));
end Arrays;
