// 13.2.1: constants imported under another name, seen from nested classes, functions and algorithms.
package Numbers
  constant Real pi = 3.14;
  package More
    constant Real e[2] = {2.71, 1};
  end More;
end Numbers;
package Parts
  import PI = Numbers.pi;
  import M = Numbers.More;
  model Plain
    Real z = PI*time;
  end Plain;
  function f
    input Real x;
    output Real y;
  algorithm
    y := PI*x + M.e[1];
  end f;
  package Deep
    function g
      import E = Numbers.More.e;
      input Real x;
      output Real y;
    algorithm
      y := PI*x + sum(E) + E[2];
    end g;
  end Deep;
  model Sections
    Real z;
    Real w[size(M.e, 1)] = M.e*time;
  algorithm
    z := PI*time;
    z := z + Deep.g(z) + f(z);
  end Sections;
end Parts;
model LookupImportsRenamed
  import E = Numbers.More.e;
  Parts.Plain p;
  Parts.Sections s;
  Real y = E[2]*time;
  Real x[size(E, 1)] = E;
end LookupImportsRenamed;
