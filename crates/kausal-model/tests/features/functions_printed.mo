model FunctionsPrinted "what functions hold must be read back: large integers, Booleans, several libraries"
  function large
    input Integer k;
    output Integer n;
  protected
    Integer table[2] = {20000000, -30000000};
  algorithm
    n := 100000000 + table[k];
  end large;
  function switch
    input Real x;
    input Boolean up;
    output Real y;
  algorithm
    y := if up then x else -x;
  end switch;
  function masks
    input Real x;
    output Real y;
  protected
    Boolean all[3] = fill(true, 3);
    Boolean some[2] = {x > 0, false};
    Boolean last;
  algorithm
    last := if x > 1 then true else some[2];
    all[2] := false;
    y := switch(x, true) + switch(2*x, false) + (if all[1] and not last then 1 else 0);
    if some[1] == true then
      y := y + 1e10;
    end if;
  end masks;
  function foreign
    input Real x;
    output Real y;
    external "C" y = f(x) annotation(Library = {"one", "two"}, Include = "#include \"f.h\"");
  end foreign;
  pure function quiet
    input Real x;
    output Real y;
    external "C" y = g(x) annotation(Library = "one");
  end quiet;
  Integer n = large(if time > 1 then 1 else 2);
  Real y = masks(time);
  Real z = foreign(time) + quiet(time);
end FunctionsPrinted;
