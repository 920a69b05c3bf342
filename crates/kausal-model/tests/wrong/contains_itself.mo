// expect: K0220
package Lib
  model Node
    Real x = 1;
    Node child;
  end Node;
  model M "a component contains its own class"
    Node n;
  end M;
end Lib;
