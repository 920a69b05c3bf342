// expect: K0213
package Lib
  model A
    Real x = 1;
  end A;
  model System
    replaceable A part;
  end System;
  model M "there is nothing of this name to redeclare"
    System s(redeclare A prat);
  end M;
end Lib;
