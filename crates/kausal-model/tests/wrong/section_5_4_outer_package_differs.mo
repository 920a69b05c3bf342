// expect: K0202 K0228
package P1 constant Real c = 1; constant Real d = 2; end P1; package P2 constant Real c = 1; end P2;
model A outer package P = P1; Real x = P.d; end A;
model M inner package P = P2; A a; end M;
