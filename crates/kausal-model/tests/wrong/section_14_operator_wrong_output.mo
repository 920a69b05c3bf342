// expect: K0321
package Lib operator record R Real x; encapsulated operator function '+' import Lib.R; input R a; input R b; output Real c; output Real d; algorithm c := a.x; d := b.x; end '+'; end R;
model M R a(x = 1); R b(x = 2); R c = a + b; end M; end Lib;
