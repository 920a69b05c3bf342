// expect: K0210
package Lib
  type A = B;
  type B = A;
  model M "two types are each other"
    A x;
  end M;
end Lib;
