// Two amplifiers of gain 15000 with limits, fed back over dividers: straight pieces with steep slopes.
model M
  Real u = 3*sin(6*time), a, b, va, vb;
equation
  va = noEvent(if 15000*(u - a) > 15 then 15 elseif 15000*(u - a) < -15 then -15 else 15000*(u - a));
  a = va/10;
  vb = noEvent(if 15000*(va - b) > 15 then 15 elseif 15000*(va - b) < -15 then -15 else 15000*(va - b));
  b = 2*vb + 0.01*vb^3;
end M;
