// expect: K0342 K0375
model M
  function f
    input Real u;
    output Real y;
    algorithm
      if u then
        y := 1;
      end if;
  end f;
  Real x = f(time);
end M;
