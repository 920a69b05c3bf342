/* Memory for values whose size comes up in the run. It is taken upwards and given back from a mark on; nothing else
   is allocated. */
#ifndef KAUSAL_ARENA
#define KAUSAL_ARENA 131072 /* elements */
#endif
#define KAUSAL_OBJECTS 64 /* external objects */
typedef union kausal_element {
    double number;
    const char *text;
} kausal_element;
typedef struct kausal_arena {
    kausal_element memory[KAUSAL_ARENA];
    size_t used;          /* elements */
    int depth;            /* calls inside each other */
    const char *function; /* who is at work */
    const char *failed;   /* what went wrong, or null */
    const char *warned;   /* the last warning, or null */
    void *object[KAUSAL_OBJECTS];
    char message[1000];
    char warning[1000];
} kausal_arena;

/* Before a function is called from outside. */
static void kausal_open(kausal_arena *a)
{
    a->used = 0;
    a->depth = 0;
    a->failed = 0;
    a->warned = 0;
}

/* Something is wrong; the first reason counts. */
static void kausal_fail(kausal_arena *a, const char *format, ...)
{
    if (a->failed) return;
    int length = snprintf(a->message, sizeof a->message, "%s: ", a->function);
    if (length < 0 || length >= (int)sizeof a->message) length = 0;
    va_list rest;
    va_start(rest, format);
    vsnprintf(a->message + length, sizeof a->message - (size_t)length, format, rest);
    va_end(rest);
    a->failed = a->message;
}

/* An assertion does not hold. */
static void kausal_say(kausal_arena *a, const char *text)
{
    if (a->failed) return;
    snprintf(a->message, sizeof a->message, "%s", text);
    a->failed = a->message;
}

/* An assertion that only warns does not hold. */
static void kausal_warn(kausal_arena *a, const char *text)
{
    snprintf(a->warning, sizeof a->warning, "%s", text);
    a->warned = a->warning;
}

/* A function begins; returns 1 if calls are nested too deeply. */
static int kausal_enter(kausal_arena *a, const char *function)
{
    a->function = function;
    if (++a->depth <= 200) return 0;
    kausal_fail(a, "calls are nested too deeply");
    return 1;
}

/* Room for so many elements, or null. */
static kausal_element *kausal_take(kausal_arena *a, size_t count)
{
    if (count > KAUSAL_ARENA - a->used) {
        kausal_fail(a, "no memory left for arrays and strings (KAUSAL_ARENA is %d)", (int)KAUSAL_ARENA);
        return 0;
    }
    kausal_element *place = a->memory + a->used;
    a->used += count;
    return place;
}
