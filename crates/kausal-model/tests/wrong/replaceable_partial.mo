// expect: K0217
package Lib
  partial model Source
    Real y;
  end Source;
  model System
    replaceable model S = Source;
    S s;
  end System;
  model M "nobody said what the replaceable class is"
    System system;
  end M;
end Lib;
