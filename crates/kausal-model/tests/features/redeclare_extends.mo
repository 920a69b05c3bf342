// 7.3.1: class extends adds to the inherited class it replaces.
partial package Interface
  replaceable model Base
    Real x;
  end Base;
  replaceable function f
    input Real u;
    output Real y;
  algorithm
    y := u;
  end f;
end Interface;
package Concrete
  extends Interface;
  redeclare model extends Base
    Real y = 2*x;
  end Base;
  redeclare function f
    input Real u;
    output Real y;
  algorithm
    y := u^3;
  end f;
end Concrete;
model RedeclareExtends
  Concrete.Base b(x = Concrete.f(time));
end RedeclareExtends;
