// expect: K0202
package Lib model A import Lib.P.c; end A; package P constant Real c = 1; end P; model M extends A; Real x = c; end M; end Lib;
