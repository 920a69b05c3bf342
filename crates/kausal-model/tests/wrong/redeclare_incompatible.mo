// expect: K0216
package Lib
  model A
    Real x = 1;
    Real y = 2;
  end A;
  model B
    Real x = 1;
  end B;
  model System
    replaceable A a;
    Real z = a.x;
  end System;
  model M "the new class lacks a member of the old one"
    System s(redeclare B a);
  end M;
end Lib;
