// expect: K0213
package Lib
  type Length = Real(units = "m");
  model M "the type has no such attribute"
    Length s = 1;
  end M;
end Lib;
