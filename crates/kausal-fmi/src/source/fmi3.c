/* The functions of FMI 3.0 for Co-Simulation over the C text of a model. This is the one file to compile. */
#include "fmi3Functions.h"
#include "names.h"
#include "model.c"
#include "variables.h"
#include "instance.c"

static void says(void *instance, int status, const char *text)
{
    static const char *const category[] = {"logAll", "logStatusWarning", "logStatusDiscard", "logStatusError"};
    const fmu_instance *const c = (const fmu_instance *)instance;
    const fmi3LogMessageCallback log = (fmi3LogMessageCallback)c->logger;
    if (log) log(c->environment, (fmi3Status)status, category[status], text);
}

static fmi3Status lacks(fmi3Instance c, const char *what)
{
    char text[80];
    snprintf(text, sizeof text, "this FMU has no %s", what);
    return (fmi3Status)fmu_refuses((fmu_instance *)c, text);
}

static fmi3Instance refused(fmi3String name, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)name;
    if (log) {
        log(environment, fmi3Error, "logStatusError",
            "this FMU is for Co-Simulation without event mode, with the token of its model description");
    }
    return 0;
}

FMI3_Export const char *FMI3_FUNCTION(fmi3GetVersion)(void)
{
    return fmi3Version;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetDebugLogging)(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String list[])
{
    (void)n;
    (void)list;
    ((fmu_instance *)c)->logs = on;
    return fmi3OK;
}

FMI3_Export fmi3Instance FMI3_FUNCTION(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
    (void)token;
    (void)resources;
    (void)visible;
    (void)logs;
    return refused(name, environment, log);
}

FMI3_Export fmi3Instance FMI3_FUNCTION(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logs, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference needed[], size_t n,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    (void)resources;
    (void)visible;
    (void)early;
    (void)needed;
    (void)n;
    (void)update;
    fmu_instance *const c = !events && token && !strcmp(token, FMU_TOKEN) ? fmu_make(name) : 0;
    if (!c) return refused(name, environment, log);
    c->environment = environment;
    c->logger = (void (*)(void))log;
    c->say = says;
    c->logs = logs;
    return c;
}

FMI3_Export fmi3Instance FMI3_FUNCTION(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock)
{
    (void)token;
    (void)resources;
    (void)visible;
    (void)logs;
    (void)update;
    (void)lock;
    (void)unlock;
    return refused(name, environment, log);
}

FMI3_Export void FMI3_FUNCTION(fmi3FreeInstance)(fmi3Instance c)
{
    fmu_free((fmu_instance *)c);
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterInitializationMode)(fmi3Instance c, fmi3Boolean tolerant, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean ends, fmi3Float64 stop)
{
    (void)tolerant;
    (void)tolerance;
    (void)ends;
    (void)stop;
    return (fmi3Status)fmu_enter_initialisation((fmu_instance *)c, start);
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3ExitInitializationMode)(fmi3Instance c)
{
    return (fmi3Status)fmu_exit_initialisation((fmu_instance *)c);
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterEventMode)(fmi3Instance c)
{
    return lacks(c, "event mode");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3Terminate)(fmi3Instance c)
{
    ((fmu_instance *)c)->now.phase = fmu_over;
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3Reset)(fmi3Instance c)
{
    fmu_reset((fmu_instance *)c);
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetFloat32)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float32 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3Float32)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetFloat32)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float32 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetFloat64)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetFloat64)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float64 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int8 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3Int8)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Int8 value[],
    size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt8 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3UInt8)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt8 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int16 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3Int16)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int16 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt16 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3UInt16)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt16 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int32 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3Int32)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int32 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt32 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3UInt32)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt32 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int64 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3Int64)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int64 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt64 value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = (fmi3UInt64)x;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt64 value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], (double)value[i])) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetBoolean)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Boolean value[],
    size_t m)
{
    double x = 0.0;
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_get((fmu_instance *)c, r[i], &x)) return fmi3Error;
        value[i] = x < 0.0 || x > 0.0;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetBoolean)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Boolean value[], size_t m)
{
    if (n != m) return lacks(c, "arrays");
    for (size_t i = 0; i < n; i++) {
        if (fmu_set((fmu_instance *)c, r[i], value[i] ? 1.0 : 0.0)) return fmi3Error;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetString)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3String value[],
    size_t m)
{
    (void)r;
    (void)m;
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "texts");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetString)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3String value[], size_t m)
{
    (void)r;
    (void)m;
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "texts");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetBinary)(fmi3Instance c, const fmi3ValueReference r[], size_t n, size_t size[],
    fmi3Binary value[], size_t m)
{
    (void)r;
    (void)m;
    (void)size;
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "binary data");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetBinary)(fmi3Instance c, const fmi3ValueReference r[], size_t n, const size_t size[],
    const fmi3Binary value[], size_t m)
{
    (void)r;
    (void)m;
    (void)size;
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "binary data");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetClock)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Clock value[])
{
    (void)r;
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetClock)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Clock value[])
{
    (void)r;
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference r, size_t *count)
{
    (void)r;
    (void)count;
    return lacks(c, "sizes that change");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetVariableDependencies)(fmi3Instance c, fmi3ValueReference dependent,
    size_t elements[], fmi3ValueReference independents[], size_t others[], fmi3DependencyKind kinds[], size_t count)
{
    (void)dependent;
    (void)elements;
    (void)independents;
    (void)others;
    (void)kinds;
    (void)count;
    return lacks(c, "sizes that change");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetFMUState)(fmi3Instance c, fmi3FMUState *state)
{
    return (fmi3Status)fmu_keep_state((fmu_instance *)c, state);
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetFMUState)(fmi3Instance c, fmi3FMUState state)
{
    return (fmi3Status)fmu_take_state((fmu_instance *)c, state);
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3FreeFMUState)(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    if (state) {
        free(*state);
        *state = 0;
    }
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)state;
    (void)size;
    return lacks(c, "states as bytes");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SerializeFMUState)(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    (void)state;
    (void)bytes;
    (void)size;
    return lacks(c, "states as bytes");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3DeserializeFMUState)(fmi3Instance c, const fmi3Byte bytes[], size_t size,
    fmi3FMUState *state)
{
    (void)bytes;
    (void)size;
    (void)state;
    return lacks(c, "states as bytes");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetDirectionalDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
    const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t seeds, fmi3Float64 value[], size_t values)
{
    (void)unknown;
    (void)n;
    (void)known;
    (void)m;
    (void)seed;
    (void)seeds;
    (void)value;
    (void)values;
    return lacks(c, "directional derivatives");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetAdjointDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
    const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t seeds, fmi3Float64 value[], size_t values)
{
    (void)unknown;
    (void)n;
    (void)known;
    (void)m;
    (void)seed;
    (void)seeds;
    (void)value;
    (void)values;
    return lacks(c, "adjoint derivatives");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterConfigurationMode)(fmi3Instance c)
{
    return lacks(c, "structural parameters");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3ExitConfigurationMode)(fmi3Instance c)
{
    return lacks(c, "structural parameters");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3Float64 interval[], fmi3IntervalQualifier qualifier[])
{
    (void)r;
    (void)interval;
    (void)qualifier;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetIntervalFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3UInt64 counter[], fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[])
{
    (void)r;
    (void)counter;
    (void)resolution;
    (void)qualifier;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3Float64 shift[])
{
    (void)r;
    (void)shift;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetShiftFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3UInt64 counter[], fmi3UInt64 resolution[])
{
    (void)r;
    (void)counter;
    (void)resolution;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float64 interval[])
{
    (void)r;
    (void)interval;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetIntervalFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)r;
    (void)counter;
    (void)resolution;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetShiftDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float64 shift[])
{
    (void)r;
    (void)shift;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetShiftFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
{
    (void)r;
    (void)counter;
    (void)resolution;
    return n == 0 ? fmi3OK : lacks(c, "intervals of clocks");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EvaluateDiscreteStates)(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3UpdateDiscreteStates)(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *ended,
    fmi3Boolean *nominals, fmi3Boolean *states, fmi3Boolean *planned, fmi3Float64 *next)
{
    (void)again;
    (void)ended;
    (void)nominals;
    (void)states;
    (void)planned;
    (void)next;
    return lacks(c, "event mode");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterContinuousTimeMode)(fmi3Instance c)
{
    return lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3CompletedIntegratorStep)(fmi3Instance c, fmi3Boolean forgets, fmi3Boolean *event,
    fmi3Boolean *ended)
{
    (void)forgets;
    (void)event;
    (void)ended;
    return lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetTime)(fmi3Instance c, fmi3Float64 time)
{
    (void)time;
    return lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetContinuousStates)(fmi3Instance c, const fmi3Float64 value[], size_t n)
{
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetContinuousStateDerivatives)(fmi3Instance c, fmi3Float64 value[], size_t n)
{
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetEventIndicators)(fmi3Instance c, fmi3Float64 value[], size_t n)
{
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetContinuousStates)(fmi3Instance c, fmi3Float64 value[], size_t n)
{
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 value[], size_t n)
{
    (void)value;
    return n == 0 ? fmi3OK : lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNumberOfEventIndicators)(fmi3Instance c, size_t *count)
{
    (void)count;
    return lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNumberOfContinuousStates)(fmi3Instance c, size_t *count)
{
    (void)count;
    return lacks(c, "Model Exchange");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterStepMode)(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetOutputDerivatives)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int32 order[], fmi3Float64 value[], size_t m)
{
    (void)r;
    (void)order;
    (void)value;
    (void)m;
    return n == 0 ? fmi3OK : lacks(c, "derivatives of outputs");
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3DoStep)(fmi3Instance c, fmi3Float64 from, fmi3Float64 size, fmi3Boolean forgets,
    fmi3Boolean *event, fmi3Boolean *ended, fmi3Boolean *early, fmi3Float64 *reached)
{
    fmu_instance *const own = (fmu_instance *)c;
    const int status = fmu_do_step(own, from, size);
    (void)forgets;
    *event = false;
    *early = false;
    *ended = own->now.m.terminate != 0;
    *reached = own->now.m.time;
    /* The end that the model wants is no failure. */
    return *ended && status == fmu_discard ? fmi3OK : (fmi3Status)status;
}

FMI3_Export fmi3Status FMI3_FUNCTION(fmi3ActivateModelPartition)(fmi3Instance c, fmi3ValueReference r, fmi3Float64 time)
{
    (void)r;
    (void)time;
    return lacks(c, "Scheduled Execution");
}
