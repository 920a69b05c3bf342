// expect: K0202
package Lib
  constant Real g = 9.81;
  encapsulated model M "what encloses an encapsulated class is not visible"
    Real x = g;
  end M;
end Lib;
