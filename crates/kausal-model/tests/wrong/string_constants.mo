// expect: K0386
model M
  constant String a = "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789";
  constant String b = a + a + a + a + a + a + a + a + a + a;
  constant String c = b + b + b + b + b + b + b + b + b + b;
  constant String d = c + c + c + c + c + c + c + c + c + c;
  constant String e = d + d + d + d + d + d + d + d + d + d;
  constant String f = e + e + e + e + e + e + e + e + e + e;
  constant String g = f + f + f + f + f + f + f + f + f + f;
  Real x = if g == "x" then time else 1;
end M;
