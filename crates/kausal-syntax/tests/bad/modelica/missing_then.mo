model M
equation
  if x > 1
    y = 1;
  elseif x > 0 y = 2;
  else
    y = 3;
  end if;
  when time > 1
    reinit(x, 0);
  end when;
end M;
