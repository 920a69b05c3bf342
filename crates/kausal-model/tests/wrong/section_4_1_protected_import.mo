// expect: K0218
package Lib package P protected model A Real x = 1; end A; end P; model M import Lib.P.A; A a; end M; end Lib;
