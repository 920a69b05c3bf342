within ;
/* Everything that is hard to cut into words,
   with two characters at the ends of lines * / ** */
model Lexical "Größe, 大きさ, \"quoted\" and \\ back\tslash" // comment
  Real 'a b' = 1., '\'' = .5, 'x.y[1]' = 1e-3, _ = 1E+3, __a1_ = 12.5e0;
  Real e1 = 1e1 /* in the middle */ + 2/* tight */-3//
    ;
  String s = "" + "two
lines" + "\a\b\f\n\r\t\v\?\'" "a description" + "in" + "parts";
  Real endOf, ifx, forall, notThis, der_x, connect_, within1;
equation
  .Lexical.f(2 .+ 3, 2. + 3, 2 ./ 3, 2 .* x, -2 .^ x);//**/
  endOf=ifx;forall=notThis;
  annotation(Documentation(info="<html>
<p>5 &lt; 6 // no comment /* neither */</p>
</html>"));
end Lexical;