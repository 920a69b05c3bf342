// expect: K0253
package P Real x = 1; end P;
model M Real y = P.x; end M;
