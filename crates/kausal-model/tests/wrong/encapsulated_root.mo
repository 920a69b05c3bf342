// expect: K0202
package Lib
  constant Real g = 1;
  encapsulated model M
    Real x = Lib.g*time;
    Real y(stateSelect = StateSelect.avoid) = sin(time);
  end M;
end Lib;
