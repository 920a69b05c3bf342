/* FMI 2.0: what its specification calls the types and functions for Co-Simulation. */
#ifndef fmi2Functions_h
#define fmi2Functions_h

#include <stddef.h>

#define fmi2TypesPlatform "default"
#define fmi2Version "2.0"
#define fmi2True 1
#define fmi2False 0

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
typedef void *(*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void *);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);

typedef struct {
    fmi2CallbackLogger logger;
    fmi2CallbackAllocateMemory allocateMemory;
    fmi2CallbackFreeMemory freeMemory;
    fmi2StepFinished stepFinished;
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

/* Names begin with FMI2_FUNCTION_PREFIX where several FMUs are linked into one program. */
#define fmi2Joined(a, b) a ## b
#define fmi2Join(a, b) fmi2Joined(a, b)
#ifdef FMI2_OVERRIDE_FUNCTION_PREFIX
#define FMI2_FUNCTION(name) fmi2Join(FMI2_OVERRIDE_FUNCTION_PREFIX, name)
#elif defined(FMI2_FUNCTION_PREFIX)
#define FMI2_FUNCTION(name) fmi2Join(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI2_FUNCTION(name) name
#endif

#ifndef FMI2_Export
#if defined(_WIN32)
#define FMI2_Export __declspec(dllexport)
#elif defined(__GNUC__)
#define FMI2_Export __attribute__((visibility("default")))
#else
#define FMI2_Export
#endif
#endif

FMI2_Export const char *FMI2_FUNCTION(fmi2GetTypesPlatform)(void);
FMI2_Export const char *FMI2_FUNCTION(fmi2GetVersion)(void);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String list[]);
FMI2_Export fmi2Component FMI2_FUNCTION(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String token, fmi2String resources,
    const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logs);
FMI2_Export void FMI2_FUNCTION(fmi2FreeInstance)(fmi2Component c);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean tolerant, fmi2Real tolerance,
    fmi2Real start, fmi2Boolean ends, fmi2Real stop);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2EnterInitializationMode)(fmi2Component c);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2ExitInitializationMode)(fmi2Component c);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2Terminate)(fmi2Component c);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2Reset)(fmi2Component c);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetReal)(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Real value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetReal)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Real value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetInteger)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    fmi2Integer value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetInteger)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Integer value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetBoolean)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    fmi2Boolean value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetBoolean)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Boolean value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetString)(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2String value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetString)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2String value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, size_t size, fmi2Byte bytes[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size,
    fmi2FMUstate *state);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknown[], size_t n,
    const fmi2ValueReference known[], size_t m, const fmi2Real seed[], fmi2Real value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Integer order[], const fmi2Real value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference r[], size_t n,
    const fmi2Integer order[], fmi2Real value[]);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2DoStep)(fmi2Component c, fmi2Real from, fmi2Real size, fmi2Boolean forgets);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2CancelStep)(fmi2Component c);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value);
FMI2_Export fmi2Status FMI2_FUNCTION(fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value);
#endif
