pakage P
  constnat Real c = 2;
  modle A
    paramter Modelica.Units.SI.Length l = 1;
    Real x(start = 1);
    Real y;
  pubilc
    final paramter Real p = 3;
  initial eqation
    x = 2;
  equaton
    der(x) = -x;
    when x < 0.5 then
      reinit(x, 1);
    edn when;
    y = 2*x;
  ned A;
  functon f
    input Real u;
    ouput Real v;
  Algorithm
    v := u;
  End f;
end P;
