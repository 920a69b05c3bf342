// expect: K0202
model M
  parameter String s = 'hello';
  Real x = time;
end M;
