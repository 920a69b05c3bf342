// 7.3: what was redeclared without `replaceable` is redeclared again; where the new one fits it is taken, with a warning.
package A
  constant Real k = 1;
end A;
package B
  constant Real k = 2;
end B;
package C
  constant Real k = 3;
end C;
model Part
  replaceable package M = A;
  Real y = M.k*time;
end Part;
model Base
  Part c(redeclare package M = B);
end Base;
model RedeclareAgain
  extends Base(c(redeclare package M = C));
end RedeclareAgain;
