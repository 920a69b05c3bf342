// expect: K0202
package Lib
  model A
    Real x = time;
  end A;
  model M
    lib.A a;
  end M;
end Lib;
