// 10.3.4.1: a sum over nothing is the Integer 0, a product the Integer 1.
model LoopsEmpty
  parameter Integer n[3] = {1, 2, 3};
  Real t[6];
  Integer one = product(n[k] for k in 1:0);
equation
  for i in 1:3 loop
    for j in 1:n[i] loop
      t[sum(n[k] for k in 1:i - 1) + j] = i*time + j;
    end for;
  end for;
end LoopsEmpty;
