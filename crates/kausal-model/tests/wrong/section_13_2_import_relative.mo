// expect: K0219
package Lib package P constant Real c = 1; end P; model M import P.c; Real x = c; end M; end Lib;
