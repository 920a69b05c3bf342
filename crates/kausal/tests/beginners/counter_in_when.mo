// Counter in when.
// expect: K0393
// line: 9
// words: pre(k)
model M
  Integer k(start = 0, fixed = true);
equation
  when sample(0, 0.1) then
    k = k + 1;
  end when;
end M;
