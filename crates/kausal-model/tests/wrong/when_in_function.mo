// expect: K0375 K0382
model M
  function f
    input Real x;
    output Real y;
  algorithm
    when x > 1 then
      y := 1;
    end when;
  end f;
  Real y = f(time);
end M;
