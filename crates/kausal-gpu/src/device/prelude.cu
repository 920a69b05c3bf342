/* What is different for a device and for a C++ compiler of this machine, which compiles the same text in tests. */
#ifdef __CUDACC__
#define KAUSAL_KERNEL extern "C" __global__
#define KAUSAL_INLINE static __device__ __forceinline__
#define KAUSAL_UNROLL _Pragma("unroll")
#define KAUSAL_NOT_INLINE __noinline__
#define HUGE_VAL (1e300*1e300)
#define NAN __longlong_as_double(0x7ff8000000000000LL)
#else
#include <math.h>
#include <string.h>
#define KAUSAL_KERNEL extern "C"
#define KAUSAL_INLINE static inline
#define KAUSAL_UNROLL
#define KAUSAL_NOT_INLINE
#endif
/* What a thread does seldom stays a function: it would only make the kernel long. Where nothing is done seldom all is one piece,
   and the whole model lives in registers. */
#if KAUSAL_EVENTS || KAUSAL_RECORDS
#define KAUSAL_APART KAUSAL_NOT_INLINE
#ifdef __CUDACC__
#define KAUSAL_AS_LOOP _Pragma("unroll 1")
#else
#define KAUSAL_AS_LOOP
#endif
#else
#define KAUSAL_APART
#define KAUSAL_AS_LOOP KAUSAL_UNROLL
#endif
