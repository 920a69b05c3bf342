// expect: K0375 K0382
model M
  function f
    input Real u;
    output Boolean y;
    algorithm
      y := sample(0, 1);
  end f;
  Boolean x = f(time);
end M;
