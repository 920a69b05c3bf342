// expect: K0218
package Lib package P protected function f input Real u; output Real y; algorithm y := u; end f; end P; model M Real x = P.f(1); end M; end Lib;
