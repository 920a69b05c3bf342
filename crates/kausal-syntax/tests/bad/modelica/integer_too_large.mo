model M
  Integer n = 99999999999999999999;
  String s = "C:\qath";
end M;
