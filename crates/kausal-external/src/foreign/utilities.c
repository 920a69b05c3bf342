/* What foreign functions may call, and what the caller asks afterwards.

   A call that ends with an error leaves by longjmp to the wrapper it was entered through: only frames of C are left
   behind. Memory that was asked for during a call is in one list, so that nothing is lost then. Several shared objects
   may be loaded, and a library that two of them use finds the functions of one only: they all work on one state. */

#include "ModelicaUtilities.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
} kausal_state;

static kausal_state own;
static kausal_state *state = &own;

void *kausal_own(void) { return &own; }
void kausal_share(void *other) { state = other; }
void kausal_enter(jmp_buf *target) { state->target = target; }
const char *kausal_error(void) { return state->error; }

/* Memory for the time of the call, zero; none if there is no more. */
static void *keep(size_t bytes, int message)
{
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
