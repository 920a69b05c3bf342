// expect: K0322
model M
  function doubled
    input Integer n;
    output String s = "ab";
  algorithm
    for i in 1:n loop
      s := s + s;
    end for;
  end doubled;
  constant String s = doubled(60);
  Real x = if s == "ab" then time else 1;
end M;
