package Outside "A library with C code in its resources"
  function scaled "Header in Resources/Include, source in Resources/Source"
    input Real x;
    input Real by;
    output Real y;
  external "C" y = outside_scaled(x, by)
    annotation(Include = "#include \"outside.h\"", Library = "outside");
  end scaled;

  function many "A folder of sources"
    input Integer n;
    output Integer sum;
  external "C" sum = outside_many(n) annotation(Library = "many");
  end many;

  function included "A source in the folder of headers"
    input Real x;
    output Real y;
  external "C" y = outside_included(x) annotation(Include = "#include \"included.c\"");
  end included;

  model Test
    Real x(start = 1, fixed = true);
    Real y = included(x);
    parameter Integer n = many(4);
    Real v[n];
  equation
    der(x) = -scaled(x, 2.0);
    for i in 1:n loop
      v[i] = i*y;
    end for;
    annotation(experiment(StopTime = 1));
  end Test;
end Outside;
