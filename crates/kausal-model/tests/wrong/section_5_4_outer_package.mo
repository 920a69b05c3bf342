// expect: K0221
package P1 constant Real c = 1; end P1;
model A outer package P = P1; Real x = P.c; end A;
model M A a; end M;
