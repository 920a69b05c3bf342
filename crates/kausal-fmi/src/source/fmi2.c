/* The functions of FMI 2.0 for Co-Simulation over the C text of a model. This is the one file to compile. */
#include "fmi2Functions.h"
#include "names.h"
#include "model.c"
#include "variables.h"
#include "instance.c"

static void says(void *instance, int status, const char *text)
{
    static const char *const category[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError"};
    const fmu_instance *const c = (const fmu_instance *)instance;
    const fmi2CallbackLogger logger = (fmi2CallbackLogger)c->logger;
    if (logger) logger(c->environment, c->name, (fmi2Status)status, category[status], "%s", text);
}

static fmi2Status lacks(fmi2Component c, const char *what)
{
    char text[80];
    snprintf(text, sizeof text, "this FMU has no %s", what);
    return (fmi2Status)fmu_refuses((fmu_instance *)c, text);
}

FMI2_Export const char *FMI2_FUNCTION(fmi2GetTypesPlatform)(void)
{
    return fmi2TypesPlatform;
}

FMI2_Export const char *FMI2_FUNCTION(fmi2GetVersion)(void)
{
    return fmi2Version;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String list[])
{
    (void)n;
    (void)list;
    ((fmu_instance *)c)->logs = on != 0;
    return fmi2OK;
}

FMI2_Export fmi2Component FMI2_FUNCTION(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
    const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logs)
{
    fmu_instance *const c = type == fmi2CoSimulation && token && !strcmp(token, FMU_TOKEN) ? fmu_make(name) : 0;
    (void)resources;
    (void)visible;
    if (!c) {
        if (functions && functions->logger) {
            functions->logger(functions->componentEnvironment, name, fmi2Error, "logStatusError", "%s",
                "this FMU is for Co-Simulation, with the guid of its model description");
        }
        return 0;
    }
    c->environment = functions ? functions->componentEnvironment : 0;
    c->logger = functions ? (void (*)(void))functions->logger : 0;
    c->say = says;
    c->logs = logs != 0;
    return c;
}

FMI2_Export void FMI2_FUNCTION(fmi2FreeInstance)(fmi2Component c)
{
    fmu_free((fmu_instance *)c);
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean tolerant, fmi2Real tolerance,
    fmi2Real start, fmi2Boolean ends, fmi2Real stop)
{
    (void)tolerant;
    (void)tolerance;
    (void)ends;
    (void)stop;
    ((fmu_instance *)c)->now.begin = start;
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2EnterInitializationMode)(fmi2Component c)
{
    return (fmi2Status)fmu_enter_initialisation((fmu_instance *)c, ((fmu_instance *)c)->now.begin);
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2ExitInitializationMode)(fmi2Component c)
{
    return (fmi2Status)fmu_exit_initialisation((fmu_instance *)c);
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2Terminate)(fmi2Component c)
{
    ((fmu_instance *)c)->now.phase = fmu_over;
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2Reset)(fmi2Component c)
{
    fmu_reset((fmu_instance *)c);
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetReal)(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[])
{
    double x = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi2Error;
        value[i] = x;
    }
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetReal)(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Real value[])
{
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], value[i])) return fmi2Error;
    }
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetInteger)(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Integer value[])
{
    double x = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi2Error;
        value[i] = (int)x;
    }
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetInteger)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Integer value[])
{
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi2Error;
    }
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetBoolean)(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Boolean value[])
{
    double x = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi2Error;
        value[i] = x != 0.0;
    }
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetBoolean)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Boolean value[])
{
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], value[i] ? 1.0 : 0.0)) return fmi2Error;
    }
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetString)(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2String value[])
{
    (void)r;
    (void)value;
    return n == 0 ? fmi2OK : lacks(c, "texts");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetString)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2String value[])
{
    (void)r;
    (void)value;
    return n == 0 ? fmi2OK : lacks(c, "texts");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    return (fmi2Status)fmu_keep_state((fmu_instance *)c, state);
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state)
{
    return (fmi2Status)fmu_take_state((fmu_instance *)c, state);
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    if (state) {
        free(*state);
        *state = 0;
    }
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)state;
    (void)size;
    return lacks(c, "states as bytes");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, size_t size, fmi2Byte bytes[])
{
    (void)state;
    (void)size;
    (void)bytes;
    return lacks(c, "states as bytes");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size,
    fmi2FMUstate *state)
{
    (void)bytes;
    (void)size;
    (void)state;
    return lacks(c, "states as bytes");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
    const fmi2ValueReference known[], size_t m, const fmi2Real seed[], fmi2Real value[])
{
    (void)unknown;
    (void)known;
    (void)m;
    (void)seed;
    (void)value;
    return n == 0 ? fmi2OK : lacks(c, "directional derivatives");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Integer order[], const fmi2Real value[])
{
    (void)r;
    (void)order;
    (void)value;
    return n == 0 ? fmi2OK : lacks(c, "derivatives of inputs");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Integer order[], fmi2Real value[])
{
    (void)r;
    (void)order;
    (void)value;
    return n == 0 ? fmi2OK : lacks(c, "derivatives of outputs");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2DoStep)(fmi2Component c, fmi2Real from, fmi2Real size, fmi2Boolean forgets)
{
    (void)forgets;
    return (fmi2Status)fmu_do_step((fmu_instance *)c, from, size);
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2CancelStep)(fmi2Component c)
{
    return lacks(c, "steps that go on in the background");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)kind;
    (void)value;
    return lacks(c, "steps that go on in the background");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((fmu_instance *)c)->now.m.time;
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)kind;
    (void)value;
    return lacks(c, "a status that is a number");
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = ((fmu_instance *)c)->now.m.terminate != 0;
    return fmi2OK;
}

FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)kind;
    (void)value;
    return lacks(c, "steps that go on in the background");
}
