// 10.6: operators of arrays; products, element-wise operators, concatenation, comprehensions, reductions, slices.
model ArrayOperators
  Real t = time;
  Real a[3] = {1, 2, 3}*t;
  Real b[3] = a + {4, 5, 6};
  Real dot = a*b;
  Real M[2,3] = [a[1], a[2], 1; 2, 3, 4];
  Real m[2] = M*a;
  Real r[3] = m*M;
  Real P[2,2] = M*transpose(M);
  Real Q[2,2] = P^2;
  Real e1[3] = a .* b;
  Real e2[3] = a ./ b;
  Real e3[3] = a .^ 2;
  Real e4[3] = 1 .+ a .- b/2;
  Real n[3] = -a;
  Real compr[1, 3] = {i*t + j for i in 1:3, j in 1:1};
  Real red = sum(a[i]*b[i] for i in 1:3) + max(i^2 for i in {1, 3, 2});
  Real sl[2] = a[2:end];
  Real st[2] = a[{3, 1}];
  Real col[2] = M[:, end];
  Real br[3] = sin(a);
  Real rng[3] = 1:2:5;
  Real rng2[3] = 0:0.5:1;
equation
end ArrayOperators;
