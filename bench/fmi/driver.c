/* Carries instances of an FMU 3.0 through a Co-Simulation, as an importing tool in C does: for measurements and for valgrind.
 *
 *     driver LIBRARY TOKEN RESOURCES STOP STEPS TOLERANCE INSTANCES
 *
 * Says what it took of the processor: to make the instances and to initialise them, and for the steps of all of them. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void *instantiate(const char *, const char *, const char *, bool, bool, bool, bool, const uint32_t *, size_t, void *,
                          void *, void *);
typedef int enter(void *, bool, double, double, bool, double);
typedef int simple(void *);
typedef int do_step(void *, double, double, bool, bool *, bool *, bool *, double *);
typedef void release(void *);

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void say(void *environment, int status, const char *category, const char *message) {
    (void)environment;
    if (status > 0) fprintf(stderr, "[%d %s] %s\n", status, category, message);
}

int main(int count, char **given) {
    if (count != 8) return 2;
    void *library = dlopen(given[1], RTLD_NOW);
    if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
    instantiate *make = (instantiate *)dlsym(library, "fmi3InstantiateCoSimulation");
    enter *begin = (enter *)dlsym(library, "fmi3EnterInitializationMode");
    simple *start = (simple *)dlsym(library, "fmi3ExitInitializationMode");
    do_step *step = (do_step *)dlsym(library, "fmi3DoStep");
    simple *terminate = (simple *)dlsym(library, "fmi3Terminate");
    release *end = (release *)dlsym(library, "fmi3FreeInstance");
    double stop = atof(given[4]), tolerance = atof(given[6]);
    int steps = atoi(given[5]), instances = atoi(given[7]), wrong = 0;
    void **all = calloc((size_t)instances, sizeof *all);
    double began = seconds();
    for (int i = 0; i < instances; i++) {
        all[i] = make("one", given[2], given[3], false, false, false, false, 0, 0, 0, (void *)say, 0);
        if (!all[i] || begin(all[i], true, tolerance, 0, true, stop) || start(all[i])) return 3;
    }
    double made = seconds(), reached;
    for (int k = 0; k < steps && !wrong; k++) {
        bool event, ends, early;
        double t = stop * k / steps;
        for (int i = 0; i < instances; i++) wrong |= step(all[i], t, stop * (k + 1) / steps - t, true, &event, &ends, &early, &reached) > 1;
    }
    double done = seconds();
    for (int i = 0; i < instances; i++) terminate(all[i]), end(all[i]);
    free(all);
    printf("%.6f %.6f\n", made - began, done - made);
    return wrong ? 4 : 0;
}
