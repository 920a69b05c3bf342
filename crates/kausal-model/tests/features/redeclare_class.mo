// 7.3: classes as parameters: models, types and packages.
model First
  parameter Real k = 1;
  Real y = k*time;
end First;
model Second
  parameter Real k = 1;
  Real y = k*time^2;
end Second;
package Air
  constant Integer n = 2;
  constant Real c[n] = {1, 2};
end Air;
package Gas
  constant Integer n = 3;
  constant Real c[n] = {4, 5, 6};
end Gas;
model Holder
  replaceable model Part = First(k = 2);
  replaceable package Medium = Air;
  replaceable type Value = Real(unit = "K");
  Part p;
  Value v[Medium.n] = Medium.c*p.y;
end Holder;
model RedeclareClass
  Holder a;
  Holder b(redeclare model Part = Second, redeclare package Medium = Gas, redeclare type Value = Real(unit = "Pa"));
end RedeclareClass;
