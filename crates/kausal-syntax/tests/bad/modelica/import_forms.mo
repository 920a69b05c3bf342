model M
  import A.B.;
  import A.{B, };
  import C = ;
  import;
  import A.B.*.C;
  Real x;
end M;
