// expect: K0213
package Lib
  partial model Base
    parameter Real mass = 1;
  end Base;
  model M "the base class has no such parameter"
    extends Base(masse = 2);
    Real x = mass;
  end M;
end Lib;
