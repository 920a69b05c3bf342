// 11.2.2: a loop runs over any vector, also over one of records.
record Mass
  Real m;
  Real r[2];
end Mass;
function centre
  input Mass masses[:];
  output Real r[2] = {0, 0};
protected
  Real total = 0;
algorithm
  for mass in masses loop
    total := total + mass.m;
    r := r + mass.m*mass.r;
  end for;
  r := r/total;
end centre;
model LoopsRecords
  Mass masses[2];
  Real total = sum(mass.m for mass in masses);
  Real reach = max(abs(mass.r[1]) for mass in masses);
  Real arms[2] = {mass.r[2] for mass in masses};
  Real c[2] = centre(masses);
  Real heaviest;
equation
  masses[1] = Mass(1, {time, 1});
  masses[2] = Mass(time + 2, {0, -time});
  for mass in masses loop
    assert(mass.m > 0, "masses are positive");
  end for;
algorithm
  heaviest := 0;
  for mass in masses loop
    if mass.m > heaviest then
      heaviest := mass.m;
    end if;
  end for;
end LoopsRecords;
