// expect: K0218
package Lib package P protected constant Real c = 1; end P; model M Real x = P.c; end M; end Lib;
