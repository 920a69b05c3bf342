// expect: K0216
package Lib
  partial model Source
    Real y;
  end Source;
  model Step
    extends Source;
  equation
    y = if time < 1 then 0 else 1;
  end Step;
  model Other
    Real u = 1;
  end Other;
  model System
    replaceable model S = Step constrainedby Source;
    S s;
  end System;
  model M "the new class is not of the constraining kind"
    System s(redeclare model S = Other);
  end M;
end Lib;
