  class fmu_Instance
    extends ExternalObject;
    function constructor
      input String file;
      input Integer role;
      input String token;
      input Real tolerance;
      input Integer places[:];
      input Real values[:];
      input Integer textPlaces[:];
      input String texts[:];
      output fmu_Instance fmu;
      external "C" fmu = kausal_fmi_instance(file, role, token, tolerance, places, values, textPlaces, texts);
    end constructor;
    function destructor
      input fmu_Instance fmu;
      external "C" kausal_fmi_free(fmu);
    end destructor;
  end fmu_Instance;
  function fmu_initial
    input fmu_Instance fmu;
    input Real t;
    input Integer places[:];
    input Real u[:];
    input Integer n;
    output Real x[n];
    external "C" kausal_fmi_initial(fmu, t, places, u, x);
  end fmu_initial;
  function fmu_derivatives
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer n;
    output Real dx[n];
    external "C" kausal_fmi_derivatives(fmu, epoch, t, x, places, u, dx);
  end fmu_derivatives;
  function fmu_derivatives_along
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer n;
    output Real dx[n];
    external "C" kausal_fmi_derivatives(fmu, epoch, t, x, places, u, dx);
    annotation(derivative = fmu_derivatives_seeded);
  end fmu_derivatives_along;
  function fmu_derivatives_seeded
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer n;
    input Real t_seed;
    input Real x_seed[size(x, 1)];
    input Real u_seed[size(u, 1)];
    output Real dx[n];
    external "C" kausal_fmi_derivatives_along(fmu, epoch, t, x, places, u, t_seed, x_seed, u_seed, dx);
  end fmu_derivatives_seeded;
  function fmu_indicators
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer n;
    output Real z[n];
    external "C" kausal_fmi_indicators(fmu, epoch, t, x, places, u, z);
  end fmu_indicators;
  function fmu_values
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer wanted[:];
    output Real y[size(wanted, 1)];
    external "C" kausal_fmi_values(fmu, epoch, t, x, places, u, wanted, y);
  end fmu_values;
  function fmu_values_along
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer wanted[:];
    output Real y[size(wanted, 1)];
    external "C" kausal_fmi_values(fmu, epoch, t, x, places, u, wanted, y);
    annotation(derivative = fmu_values_seeded);
  end fmu_values_along;
  function fmu_values_seeded
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer wanted[:];
    input Real t_seed;
    input Real x_seed[size(x, 1)];
    input Real u_seed[size(u, 1)];
    output Real y[size(wanted, 1)];
    external "C" kausal_fmi_values_along(fmu, epoch, t, x, places, u, wanted, t_seed, x_seed, u_seed, y);
  end fmu_values_seeded;
  function fmu_held_reals
    input fmu_Instance fmu;
    input Integer epoch;
    input Real start;
    input Integer wanted[:];
    output Real y[size(wanted, 1)];
    external "C" kausal_fmi_held(fmu, epoch, start, wanted, y);
  end fmu_held_reals;
  function fmu_held_integers
    input fmu_Instance fmu;
    input Integer epoch;
    input Real start;
    input Integer wanted[:];
    output Integer y[size(wanted, 1)];
    external "C" kausal_fmi_held(fmu, epoch, start, wanted, y);
  end fmu_held_integers;
  function fmu_held_booleans
    input fmu_Instance fmu;
    input Integer epoch;
    input Real start;
    input Integer wanted[:];
    output Boolean y[size(wanted, 1)];
    external "C" kausal_fmi_held(fmu, epoch, start, wanted, y);
  end fmu_held_booleans;
  function fmu_wants
    input fmu_Instance fmu;
    input Integer epoch;
    output Boolean wanted;
    external "C" wanted = kausal_fmi_wants(fmu, epoch);
  end fmu_wants;
  impure function fmu_update
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Real x[:];
    input Integer places[:];
    input Real u[:];
    input Integer discretePlaces[:];
    input Real discrete_u[:];
    input Boolean sides[:];
    input Integer crossings;
    input Integer n;
    output Integer next_epoch;
    output Real next;
    output Boolean ended;
    output Real new_x[n];
    external "C" next_epoch = kausal_fmi_update(fmu, epoch, t, x, places, u, discretePlaces, discrete_u, sides, crossings, next, ended, new_x);
  end fmu_update;
  impure function fmu_step
    input fmu_Instance fmu;
    input Integer epoch;
    input Real t;
    input Integer places[:];
    input Real before[:];
    input Real now[:];
    output Integer next_epoch;
    output Boolean ended;
    external "C" next_epoch = kausal_fmi_step(fmu, epoch, t, places, before, now, ended);
  end fmu_step;
