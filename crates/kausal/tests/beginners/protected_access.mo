// Protected access.
// expect: K0218
// line: 11
// words: protected
model A
  protected
  Real hidden = 1;
end A;
model M
  A a;
  Real x = a.hidden;
end M;
