// expect: K0376
model M
  function positive
    input Real v[:];
    output Real w[:];
  protected
    Integer k = 0;
  algorithm
    for i in 1:size(v, 1) loop
      if v[i] > 0 then
        k := k + 1;
      end if;
    end for;
    w := fill(1.0, k);
  end positive;
  Real x[2] = {time, 1};
  Real y = sum(positive(x));
end M;
