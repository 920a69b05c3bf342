/* An instance of the model in model.c: what is the same in both versions of the standard. Needs the tables of variables.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { fmu_made, fmu_initialising, fmu_stepping, fmu_over, fmu_failed } fmu_phase;

typedef struct {
    model m;
    double step;     /* of the integration, at most */
    double begin;    /* where the run begins */
    fmu_phase phase;
    int changed;     /* something was set since everything was computed */
    int stale;       /* what only results need is not computed */
} fmu_values;

typedef struct {
    fmu_values now;
    fmu_values start;          /* what was set before initial values were found */
    void *environment;
    void (*say)(void *instance, int status, const char *text);
    void (*logger)(void);      /* the importing tool's, of the type that the version has */
    char *name;
    int logs;
    int announced;             /* the end of the run was told */
    const char *warned;        /* the assertion of level warning that was told last */
} fmu_instance;

enum { fmu_ok, fmu_warning, fmu_discard, fmu_error };

static int fmu_says(fmu_instance *c, int status, const char *text)
{
    if (c->say && (c->logs || status >= fmu_discard)) c->say(c, status, text ? text : "it failed");
    return status;
}

static int fmu_fails(fmu_instance *c)
{
    c->now.phase = fmu_failed;
    return fmu_says(c, fmu_error, c->now.m.message);
}

static int fmu_refuses(fmu_instance *c, const char *text)
{
    return fmu_says(c, fmu_error, text);
}

static void fmu_reset(fmu_instance *c)
{
    memset(&c->now, 0, sizeof c->now);
    model_start(&c->now.m);
    c->now.step = FMU_STEP;
    c->now.phase = fmu_made;
    c->announced = 0;
    c->warned = 0;
}

static fmu_instance *fmu_make(const char *name)
{
    fmu_instance *const c = (fmu_instance *)calloc(1, sizeof(fmu_instance));
    const size_t length = name ? strlen(name) : 0;
    if (!c) return 0;
    c->name = (char *)malloc(length + 1);
    if (!c->name) {
        free(c);
        return 0;
    }
    if (length > 0) memcpy(c->name, name, length);
    c->name[length] = 0;
    fmu_reset(c);
    return c;
}

static void fmu_free(fmu_instance *c)
{
    if (!c) return;
    free(c->name);
    free(c);
}

/* Warnings of assertions since the last call. */
static void fmu_warnings(fmu_instance *c)
{
    if (c->now.m.warning && c->now.m.warning != c->warned) {
        c->warned = c->now.m.warning;
        fmu_says(c, fmu_warning, c->warned);
    }
}

static int fmu_enter_initialisation(fmu_instance *c, double begin)
{
    if (c->now.phase != fmu_made) return fmu_refuses(c, "the initialisation begins once");
    c->now.begin = begin;
    c->now.phase = fmu_initialising;
    c->now.changed = 1;
    c->start = c->now;
    return fmu_ok;
}

/* Everything follows from what was set: the initial problem, or an event. */
static int fmu_settle(fmu_instance *c)
{
    if (c->now.phase == fmu_initialising && c->now.changed) {
        c->now = c->start;
        if (model_begin(&c->now.m, c->now.begin)) return fmu_fails(c);
        c->now.stale = 1;
        fmu_warnings(c);
    } else if (c->now.phase == fmu_stepping && c->now.changed) {
        if (model_event(&c->now.m)) return fmu_fails(c);
        c->now.stale = 1;
        fmu_warnings(c);
    }
    c->now.changed = 0;
    return fmu_ok;
}

static int fmu_exit_initialisation(fmu_instance *c)
{
    if (c->now.phase != fmu_initialising) return fmu_refuses(c, "there is no initialisation to end");
    if (fmu_settle(c)) return fmu_error;
    c->now.phase = fmu_stepping;
    return fmu_ok;
}

static int fmu_is_known(unsigned reference)
{
    return reference == 0 || (reference <= FMU_REFERENCES && fmu_kind[reference - 1] != 0);
}

static int fmu_get(fmu_instance *c, unsigned reference, double *value)
{
    if (!fmu_is_known(reference)) return fmu_refuses(c, "there is no variable with this value reference");
    if (fmu_settle(c)) return fmu_error;
    if (c->now.stale && (c->now.phase == fmu_stepping || c->now.phase == fmu_initialising)) {
        if (model_outputs(&c->now.m)) return fmu_fails(c);
        c->now.stale = 0;
    }
    if (reference == 0) {
        *value = c->now.m.time;
    } else if (fmu_kind[reference - 1] & fmu_is_step) {
        *value = c->now.step;
    } else {
        const int place = fmu_place[reference - 1];
        *value = fmu_kind[reference - 1] & fmu_is_negative ? -c->now.m.v[place] : c->now.m.v[place];
    }
    return fmu_ok;
}

static int fmu_set(fmu_instance *c, unsigned reference, double value)
{
    const int kind = reference != 0 && fmu_is_known(reference) ? fmu_kind[reference - 1] : 0;
    const int before = c->now.phase == fmu_made || c->now.phase == fmu_initialising;
    fmu_values *const at = c->now.phase == fmu_initialising ? &c->start : &c->now;
    const int may = before ? fmu_is_parameter | fmu_is_input | fmu_is_step : c->now.phase == fmu_stepping ? fmu_is_input : 0;
    if (!(kind & may)) return fmu_refuses(c, "this variable cannot be set here");
    if (!(value - value == 0.0)) return fmu_refuses(c, "a value must be a finite number");
    if (kind & fmu_is_step) {
        if (!(value > 0.0)) return fmu_refuses(c, "the step must be positive");
        at->step = value;
        return fmu_ok;
    }
    const double own = kind & fmu_is_negative ? -value : value;
    double *const place = &at->m.v[fmu_place[reference - 1]];
    if (*place < own || *place > own) {
        *place = own;
        c->now.changed = 1;
    }
    return fmu_ok;
}

/* From one communication point to the next one, in steps of equal size. */
static int fmu_do_step(fmu_instance *c, double from, double size)
{
    if (c->now.phase != fmu_stepping) return fmu_refuses(c, "steps follow the initialisation");
    if (!(size > 0.0 && size < HUGE_VAL)) return fmu_refuses(c, "the size of a step must be positive");
    if (fabs(from - c->now.m.time) > 1e-6*size + 1e-9*fabs(from)) {
        return fmu_refuses(c, "a step begins where the last one ended");
    }
    if (fmu_settle(c)) return fmu_error;
    const double count = ceil(size/c->now.step - 1e-9);
    if (!(count < 1e9)) return fmu_refuses(c, "the step of the integration is too small for this");
    const long steps = count < 1.0 ? 1 : (long)count;
    for (long k = 0; k < steps && !c->now.m.terminate; k++) {
        c->now.stale = 1;
        if (model_step(&c->now.m, size/(double)steps)) return fmu_says(c, fmu_discard, c->now.m.message);
        if (model_events(&c->now.m)) return fmu_fails(c);
    }
    fmu_warnings(c);
    if (c->now.m.terminate) {
        if (!c->announced) fmu_says(c, fmu_ok, c->now.m.message);
        c->announced = 1;
        return fmu_discard;
    }
    return fmu_ok;
}

/* States of the FMU: all values, where none of them is an address. */
static int fmu_keep_state(fmu_instance *c, void **state)
{
#if FMU_STATES
    fmu_values *kept = (fmu_values *)*state;
    if (!kept) kept = (fmu_values *)malloc(2*sizeof(fmu_values));
    if (!kept) return fmu_refuses(c, "there is no memory for a state");
    kept[0] = c->now;
    kept[1] = c->start;
    *state = kept;
    return fmu_ok;
#else
    (void)state;
    return fmu_refuses(c, "states of this FMU cannot be kept");
#endif
}

static int fmu_take_state(fmu_instance *c, const void *state)
{
    if (!FMU_STATES || !state) return fmu_refuses(c, "this is no state");
    c->now = ((const fmu_values *)state)[0];
    c->start = ((const fmu_values *)state)[1];
    return fmu_ok;
}
