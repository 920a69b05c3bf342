/* FMI 3.0: what its specification calls the types and functions. */
#ifndef fmi3Functions_h
#define fmi3Functions_h

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define fmi3Version "3.0"
#define fmi3True true
#define fmi3False false

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum { fmi3Independent, fmi3Constant, fmi3Fixed, fmi3Tunable, fmi3Discrete, fmi3Dependent } fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean, fmi3Boolean, fmi3Boolean,
    fmi3Boolean, fmi3Boolean *, fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* Names begin with FMI3_FUNCTION_PREFIX where several FMUs are linked into one program. */
#define fmi3Joined(a, b) a ## b
#define fmi3Join(a, b) fmi3Joined(a, b)
#ifdef FMI3_OVERRIDE_FUNCTION_PREFIX
#define FMI3_FUNCTION(name) fmi3Join(FMI3_OVERRIDE_FUNCTION_PREFIX, name)
#elif defined(FMI3_FUNCTION_PREFIX)
#define FMI3_FUNCTION(name) fmi3Join(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI3_FUNCTION(name) name
#endif

#ifndef FMI3_Export
#if defined(_WIN32)
#define FMI3_Export __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI3_Export __attribute__((visibility("default")))
#else
#define FMI3_Export
#endif
#endif

FMI3_Export const char *FMI3_FUNCTION(fmi3GetVersion)(void);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetDebugLogging)(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String list[]);
FMI3_Export fmi3Instance FMI3_FUNCTION(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log);
FMI3_Export fmi3Instance FMI3_FUNCTION(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logs, fmi3Boolean events, fmi3Boolean early, const fmi3ValueReference needed[], size_t n,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
FMI3_Export fmi3Instance FMI3_FUNCTION(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token,
    fmi3String resources, fmi3Boolean visible, fmi3Boolean logs, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock, fmi3UnlockPreemptionCallback unlock);
FMI3_Export void FMI3_FUNCTION(fmi3FreeInstance)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterInitializationMode)(fmi3Instance c, fmi3Boolean tolerant, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean ends, fmi3Float64 stop);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3ExitInitializationMode)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterEventMode)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3Terminate)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3Reset)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetFloat32)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float32 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetFloat32)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float32 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetFloat64)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Float64 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetFloat64)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float64 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int8 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n, const fmi3Int8 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt8 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt8)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt8 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int16 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int16 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt16 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt16)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt16 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int32 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int32 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt32 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt32)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt32 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Int64 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int64 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetUInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3UInt64 value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetUInt64)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt64 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetBoolean)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Boolean value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetBoolean)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Boolean value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetString)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3String value[],
    size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetString)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3String value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetBinary)(fmi3Instance c, const fmi3ValueReference r[], size_t n, size_t size[],
    fmi3Binary value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetBinary)(fmi3Instance c, const fmi3ValueReference r[], size_t n, const size_t size[],
    const fmi3Binary value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetClock)(fmi3Instance c, const fmi3ValueReference r[], size_t n, fmi3Clock value[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetClock)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Clock value[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNumberOfVariableDependencies)(fmi3Instance c, fmi3ValueReference r, size_t *count);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetVariableDependencies)(fmi3Instance c, fmi3ValueReference dependent,
    size_t elements[], fmi3ValueReference independents[], size_t others[], fmi3DependencyKind kinds[], size_t count);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetFMUState)(fmi3Instance c, fmi3FMUState *state);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetFMUState)(fmi3Instance c, fmi3FMUState state);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3FreeFMUState)(fmi3Instance c, fmi3FMUState *state);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state, size_t *size);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SerializeFMUState)(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3DeserializeFMUState)(fmi3Instance c, const fmi3Byte bytes[], size_t size,
    fmi3FMUState *state);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetDirectionalDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
    const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t seeds, fmi3Float64 value[], size_t values);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetAdjointDerivative)(fmi3Instance c, const fmi3ValueReference unknown[], size_t n,
    const fmi3ValueReference known[], size_t m, const fmi3Float64 seed[], size_t seeds, fmi3Float64 value[], size_t values);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterConfigurationMode)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3ExitConfigurationMode)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3Float64 interval[], fmi3IntervalQualifier qualifier[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetIntervalFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3UInt64 counter[], fmi3UInt64 resolution[], fmi3IntervalQualifier qualifier[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetShiftDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3Float64 shift[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetShiftFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    fmi3UInt64 counter[], fmi3UInt64 resolution[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetIntervalDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float64 interval[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetIntervalFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt64 counter[], const fmi3UInt64 resolution[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetShiftDecimal)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Float64 shift[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetShiftFraction)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3UInt64 counter[], const fmi3UInt64 resolution[]);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EvaluateDiscreteStates)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3UpdateDiscreteStates)(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *ended,
    fmi3Boolean *nominals, fmi3Boolean *states, fmi3Boolean *planned, fmi3Float64 *next);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterContinuousTimeMode)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3CompletedIntegratorStep)(fmi3Instance c, fmi3Boolean forgets, fmi3Boolean *event,
    fmi3Boolean *ended);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetTime)(fmi3Instance c, fmi3Float64 time);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3SetContinuousStates)(fmi3Instance c, const fmi3Float64 value[], size_t n);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetContinuousStateDerivatives)(fmi3Instance c, fmi3Float64 value[], size_t n);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetEventIndicators)(fmi3Instance c, fmi3Float64 value[], size_t n);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetContinuousStates)(fmi3Instance c, fmi3Float64 value[], size_t n);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 value[], size_t n);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNumberOfEventIndicators)(fmi3Instance c, size_t *count);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetNumberOfContinuousStates)(fmi3Instance c, size_t *count);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3EnterStepMode)(fmi3Instance c);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3GetOutputDerivatives)(fmi3Instance c, const fmi3ValueReference r[], size_t n,
    const fmi3Int32 order[], fmi3Float64 value[], size_t m);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3DoStep)(fmi3Instance c, fmi3Float64 from, fmi3Float64 size, fmi3Boolean forgets,
    fmi3Boolean *event, fmi3Boolean *ended, fmi3Boolean *early, fmi3Float64 *reached);
FMI3_Export fmi3Status FMI3_FUNCTION(fmi3ActivateModelPartition)(fmi3Instance c, fmi3ValueReference r, fmi3Float64 time);

#endif
