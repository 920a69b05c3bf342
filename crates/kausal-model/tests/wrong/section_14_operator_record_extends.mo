// expect: K0219 K0340
operator record R Real x; encapsulated operator function '+' import Lib.R; input R a; input R b; output R c; algorithm c := R(a.x + b.x); end '+'; end R;
model M R a(x = 1); R c = a + 1; end M;
