// 5.3.1: a name is looked up in the enclosing classes, innermost first.
package P
  constant Real a = 1;
  constant Real b = 2;
  package Q
    constant Real b = 3;
    model Inner
      Real x = a;
      Real y = b;
      Real z = P.b;
      Real w = .P.Q.b;
    end Inner;
  end Q;
  model M
    extends Q.Inner;
    Real v = b;
  end M;
end P;
model Enclosing
  P.M m;
end Enclosing;
