// expect: K0212
package Lib
  package P
    model A
      Real x = 1;
    end A;
    model A
      Real x = 2;
    end A;
  end P;
  model M
    P.A a;
  end M;
end Lib;
