// expect: K0246 K0217
package Lib
  partial package Medium
    constant Real density;
  end Medium;
  package Water
    extends Medium(density = 1000);
  end Water;
  model Tank
    replaceable package Medium = Lib.Medium;
    Real m = Medium.density*time;
  end Tank;
  model M
    Tank tank(Medium = Lib.Water);
  end M;
end Lib;
