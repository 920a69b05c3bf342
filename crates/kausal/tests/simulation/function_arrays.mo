// Arrays of any size in and out.
function polynomial
  input Real c[:];
  input Real x;
  output Real y;
algorithm
  y := 0;
  for i in size(c, 1):-1:1 loop
    y := y*x + c[i];
  end for;
end polynomial;
function product
  input Real A[:, :];
  input Real x[size(A, 2)];
  output Real y[size(A, 1)];
algorithm
  for i in 1:size(A, 1) loop
    y[i] := 0;
    for j in 1:size(A, 2) loop
      y[i] := y[i] + A[i, j]*x[j];
    end for;
  end for;
end product;
model M
  Real p = polynomial({1, -2, 0, 3}, time);
  Real y[2] = product([1, 2, 3; 4, 5, 6], {time, 1, 2*time});
  Real z[2] = [1, 2, 3; 4, 5, 6]*{time, 1, 2*time};
end M;
