// expect: K0255
model M
  replaceable model Base
    Real x = time;
  end Base;
  model Other
    extends Base;
  end Other;
  Other other;
end M;
