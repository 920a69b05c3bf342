// expect: K0215
package Lib
  model A
    Real x = 1;
  end A;
  model System
    model Part = A;
    Part a;
  end System;
  model M "the class is not replaceable"
    System s(redeclare model Part = A);
  end M;
end Lib;
