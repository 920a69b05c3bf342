// expect: K0218
package Lib package P protected model A Real x = 1; end A; end P; model M P.A a; end M; end Lib;
