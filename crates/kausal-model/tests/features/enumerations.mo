// 4.9.5: enumerations as types, array dimensions, loop ranges; conversions.
type Gear = enumeration(reverse, neutral, first, second "the fastest");
model Enumerations
  parameter Gear start = Gear.first;
  Gear gear(start = Gear.neutral, fixed = true);
  Real ratio[Gear] = {-3, 0, 4, 2};
  Real speed[Gear];
  Real used = ratio[gear];
  Integer number = Integer(gear);
  Gear next = Gear(number + 1);
  Boolean low = gear < Gear.second;
equation
  for g in Gear loop
    speed[g] = Integer(g)*time;
  end for;
  for g in Gear.first:Gear.second loop
    assert(ratio[g] > 1, "ratio");
  end for;
  when time > 1 then
    gear = if pre(gear) == Gear.neutral then start else Gear.second;
  end when;
end Enumerations;
