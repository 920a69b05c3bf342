// expect: K0219
package Lib package P constant Real c = 1; end P; package Q constant Real c = 2; end Q;
model M import Lib.P.c; import Lib.Q.c; Real x = c; end M; end Lib;
