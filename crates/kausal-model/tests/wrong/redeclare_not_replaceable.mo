// expect: K0215
package Lib
  model A
    Real x = 1;
  end A;
  model System
    A a;
  end System;
  model M "the component is not replaceable"
    System s(redeclare A a);
  end M;
end Lib;
