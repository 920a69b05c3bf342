// 10.3: functions of arrays.
model ArrayFunctions
  Real t = time;
  Real v[3] = {t, 2*t, 3};
  Real A[2,3] = {{1, t, 2}, {3, 4, t}};
  Integer s[2] = size(A);
  Integer d = ndims(A) + size(v, 1);
  Real f[2,2] = fill(t, 2, 2);
  Real z[2] = zeros(2) + ones(2);
  Real I[2,2] = identity(2)*t;
  Real D[2,2] = diagonal({t, 2});
  Real c1[2,4] = cat(2, A, {{7}, {8}});
  Real c2[3,3] = cat(1, A, {v});
  Real T[3,2] = transpose(A);
  Real o[2,3] = outerProduct({1, 2}, v);
  Real x[3] = cross(v, {1, 0, 0});
  Real S[3,3] = skew(v);
  Real sums = sum(A) + product(v);
  Real lo = min(v) + max(A);
  Real l[4] = linspace(0, t, 4);
  Real one = scalar({{t}});
  Real vec[2] = vector({{t}, {2}});
  Real mat[3,1] = matrix(v);
  Real sy[2,2] = symmetric({{1, t}, {5, 2}});
  Real pr[3,1] = promote(v, 2);
end ArrayFunctions;
