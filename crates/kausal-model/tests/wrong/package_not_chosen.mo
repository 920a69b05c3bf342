// expect: K0217
package Lib
  partial package Medium
    constant Real density;
  end Medium;
  model Tank
    replaceable package Medium = Lib.Medium;
    Real m = Medium.density*time;
  end Tank;
  model M
    Tank tank;
  end M;
end Lib;
