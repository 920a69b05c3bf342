// expect: K0253
package P
  parameter Real x = 1;
end P;
model M
  Real y = P.x;
end M;
