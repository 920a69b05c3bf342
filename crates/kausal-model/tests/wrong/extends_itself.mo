// expect: K0210
package Lib
  model A
    extends B;
  end A;
  model B
    extends A;
  end B;
  model M "two classes extend each other"
    extends A;
    Real x = 1;
  end M;
end Lib;
