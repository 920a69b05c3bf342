model M 'a model'
  Real x 'position';
  String s = "a";
equation
  assert(x > 0, 'must be positive', 3) 'comment';
end M;
