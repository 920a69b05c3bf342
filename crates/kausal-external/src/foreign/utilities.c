/* What foreign functions may call, and what the caller asks afterwards.

   A call that ends with an error leaves by longjmp to the wrapper it was entered through: only frames of C are left
   behind. Memory that was asked for during a call is in one list, so that nothing is lost then. Several shared objects
   may be loaded, and a library that two of them use finds the functions of one only: they all work on one state.

   A crash, abort() and exit() lead back to the wrapper too, so that the run can say what happened and keep its results.
   A run that is to end from outside (a flag that the caller gives) ends in the next of these functions that is called, as
   if by an error.
   Whatever a function that crashed has left behind is not touched again: no foreign code is called after that. Where there is no
   way back (a thread of its own, exit() called by a library, memory management that does not recover) the name of the
   function is written and the process ends with an error. */

#undef _Exit /* the real one, here */
#include "ModelicaUtilities.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef _WIN32
#define KAUSAL_SIGNALS 1
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#endif

/* What is kept for the time of a call: memory, or a message. */
typedef struct kausal_node {
    struct kausal_node *next;
    int message; /* 0: memory, 1: a message, 2: a warning */
} kausal_node;

typedef struct kausal_state {
    jmp_buf *target; /* where errors go; none when no call is under way */
    kausal_node *first;
    kausal_node *last;
    char error[2048];
    const char *function; /* what was called */
    const char *called;   /* what was called last, also when it has ended */
    int watching;         /* signals come here */
    const volatile unsigned char *interrupt; /* not 0: the run is to end; none outside of calls */
#ifdef KAUSAL_SIGNALS
    pthread_t thread; /* who called it */
#endif
} kausal_state;

static kausal_state own;
static kausal_state *state = &own;

void *kausal_own(void) { return &own; }
static void watch(void);
void kausal_share(void *other)
{
    state = other;
    watch();
}

void kausal_enter(jmp_buf *target, const char *function)
{
#ifdef KAUSAL_SIGNALS
    state->thread = pthread_self();
#endif
    state->function = function;
    if (function != NULL)
        state->called = function;
    state->target = target;
}
const char *kausal_error(void) { return state->error; }
void kausal_interrupt(const volatile unsigned char *flag) { state->interrupt = flag; }

static void end_if_asked(void);

/* Memory for the time of the call, zero; none if there is no more. */
static void *keep(size_t bytes, int message)
{
    end_if_asked();
    kausal_node *node = bytes > (size_t)-1 - sizeof *node ? NULL : calloc(1, sizeof *node + bytes);
    if (node == NULL)
        return NULL;
    node->message = message;
    if (state->last != NULL)
        state->last->next = node;
    else
        state->first = node;
    state->last = node;
    return node + 1;
}

static void leave(void) __attribute__((noreturn));
static void leave(void)
{
    if (state->target == NULL) {
        /* Not called by us, or from a thread of its own: there is no way back. */
        fprintf(stderr, "error of foreign code outside of a call: %s\n", state->error);
        abort();
    }
    longjmp(*state->target, 1);
}

/* Only the thread that was called has a way back. */
static int is_inside(void)
{
#ifdef KAUSAL_SIGNALS
    return state->target != NULL && pthread_equal(state->thread, pthread_self());
#else
    return state->target != NULL;
#endif
}

static void end_if_asked(void)
{
    if (state->interrupt != NULL && *state->interrupt != 0 && is_inside()) {
        strcpy(state->error, "it was stopped");
        leave();
    }
}

#ifdef KAUSAL_SIGNALS

/* Seconds after a crash until the process is given up, if it hangs. */
#define PATIENCE 5

static const struct {
    int number;
    const char *name;
    const char *what;
} crashes[] = {{SIGSEGV, "SIGSEGV", "it used memory that is not there"},
               {SIGBUS, "SIGBUS", "it used memory that is not there"},
               {SIGFPE, "SIGFPE", "it divided an integer by zero"},
               {SIGILL, "SIGILL", "it ran into what is no instruction"},
               {SIGABRT, "SIGABRT", "it called abort()"}};
#define CRASHES (sizeof crashes / sizeof crashes[0])

static struct sigaction before[CRASHES];

/* Only what may be called in a handler of signals from here on. */
static void put(const char *text)
{
    size_t length = strlen(text);
    while (length > 0) {
        ssize_t written = write(2, text, length);
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

static void give_up(const char *what) __attribute__((noreturn));
static void give_up(const char *what)
{
    put("error[K0543]: the foreign function ");
    put(state->function != NULL ? state->function : "");
    put(" ended the program: ");
    put(what);
    put("\n");
    _Exit(1);
}

/* Foreign code is not under way, but it may have destroyed what others need. */
static void give_up_later(const char *signal) __attribute__((noreturn));
static void give_up_later(const char *signal)
{
    put("error[K0543]: the program crashed (");
    put(signal);
    put(") after calls of foreign code, the last one of ");
    put(state->called);
    put(": it may have written beyond an array or through a wrong pointer\n");
    _Exit(1);
}

static void on_alarm(int number)
{
    (void)number;
    give_up(state->error);
}

static void crashed(const char *what) __attribute__((noreturn));
static void crashed(const char *what)
{
    struct sigaction action;
    if (what != state->error) {
        strncpy(state->error, what, sizeof state->error - 1);
        state->error[sizeof state->error - 1] = '\0';
    }
    /* It may have died holding a lock of the memory management: the next allocation would wait forever. */
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    alarm(PATIENCE);
    longjmp(*state->target, 2);
}

static void on_crash(int number)
{
    size_t at = 0;
    while (at + 1 < CRASHES && crashes[at].number != number)
        at++;
    if (is_inside())
        crashed(crashes[at].what);
    if (state->target != NULL)
        give_up(crashes[at].what);
    if (state->called != NULL)
        give_up_later(crashes[at].name);
    /* Not foreign: it comes again, to whom it came before. */
    sigaction(number, &before[at], NULL);
}

static void on_exit_of_process(void)
{
    if (is_inside())
        give_up("it called exit()");
}

static void watch(void)
{
    if (state->watching)
        return;
    state->watching = 1;
    for (size_t at = 0; at < CRASHES; at++) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_crash;
        /* On a stack of its own, for the other one may be full; not blocked, for the handler is left by a jump. */
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        sigemptyset(&action.sa_mask);
        sigaction(crashes[at].number, &action, &before[at]);
    }
    atexit(on_exit_of_process);
}

static void ended(const char *name, int status) __attribute__((noreturn));
static void ended(const char *name, int status)
{
    char what[64];
    snprintf(what, sizeof what, "it called %s(%d)", name, status);
    if (is_inside())
        crashed(what);
    if (state->target != NULL)
        give_up(what);
    _Exit(status);
}

/* For the code that is compiled with this: what libraries call is seen when the process ends. */
__attribute__((visibility("hidden"))) void exit(int status) { ended("exit", status); }
__attribute__((visibility("hidden"))) void quick_exit(int status) { ended("quick_exit", status); }
__attribute__((visibility("hidden"))) void _exit(int status) { ended("_exit", status); }
__attribute__((visibility("hidden"))) void kausal_Exit(int status) { ended("_Exit", status); }

void kausal_overrun(void) { crashed("it wrote beyond the end of an array"); }

#else
static void watch(void) {}
void kausal_Exit(int status) { exit(status); }
void kausal_overrun(void) { ModelicaError("it wrote beyond the end of an array"); }
#endif

void *kausal_memory(size_t count, size_t size)
{
    void *memory = size != 0 && count > (size_t)-1 / size ? NULL : keep(count * size, 0);
    if (memory == NULL)
        ModelicaError("there is not enough memory");
    return memory;
}

/* The first message from this node on, or none; *node moves behind it. */
const char *kausal_message(void **node, int *kind)
{
    kausal_node *at = *node == NULL ? state->first : ((kausal_node *)*node)->next;
    while (at != NULL && at->message == 0)
        at = at->next;
    if (at == NULL)
        return NULL;
    *node = at;
    *kind = at->message;
    return (const char *)(at + 1);
}

void kausal_release(void)
{
    kausal_node *node = state->first;
    while (node != NULL) {
        kausal_node *next = node->next;
        free(node);
        node = next;
    }
    state->first = state->last = NULL;
    state->error[0] = '\0';
}

/* The process has survived a crash so far. */
void kausal_survived(void)
{
#ifdef KAUSAL_SIGNALS
    alarm(0);
#endif
}

static void say(int kind, const char *format, va_list arguments)
{
    va_list again;
    int length;
    char *text;
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0)
        return;
    text = keep((size_t)length + 1, kind);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, arguments);
}

void ModelicaVFormatMessage(const char *format, va_list arguments) { say(1, format, arguments); }
void ModelicaVFormatWarning(const char *format, va_list arguments) { say(2, format, arguments); }

void ModelicaFormatMessage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(1, format, arguments);
    va_end(arguments);
}

void ModelicaFormatWarning(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(2, format, arguments);
    va_end(arguments);
}

void ModelicaMessage(const char *string) { ModelicaFormatMessage("%s", string); }
void ModelicaWarning(const char *string) { ModelicaFormatWarning("%s", string); }

void ModelicaVFormatError(const char *format, va_list arguments)
{
    vsnprintf(state->error, sizeof state->error, format, arguments);
    leave();
}

void ModelicaFormatError(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(state->error, sizeof state->error, format, arguments);
    va_end(arguments);
    leave();
}

void ModelicaError(const char *string) { ModelicaFormatError("%s", string); }

char *ModelicaAllocateStringWithErrorReturn(size_t length)
{
    return length == (size_t)-1 ? NULL : keep(length + 1, 0);
}

char *ModelicaAllocateString(size_t length)
{
    char *text = ModelicaAllocateStringWithErrorReturn(length);
    if (text == NULL)
        ModelicaError("there is not enough memory for a string");
    return text;
}

char *ModelicaDuplicateStringWithErrorReturn(const char *string)
{
    size_t length = strlen(string);
    char *text = ModelicaAllocateStringWithErrorReturn(length);
    return text == NULL ? NULL : memcpy(text, string, length);
}

char *ModelicaDuplicateString(const char *string)
{
    size_t length = strlen(string);
    return memcpy(ModelicaAllocateString(length), string, length);
}
