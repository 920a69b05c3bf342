// expect: K0202
package Lib package P constant Real c = 1; end P; model A import Lib.P; Real y = 1; end A; model M A a; Real x = A.P.c; end M; end Lib;
