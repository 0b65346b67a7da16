#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "capture/capture_impl.h"
#include "format/pattern.h"

/* rooftop's request, as this process has read and compiled it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct control_request request;
static struct pattern pattern;
static bool usable;
static _Atomic uint32_t loaded, mode; /* number and mode of `request` */
static _Atomic uint32_t served;       /* CONTROL_NTH: the last request that got its capture */
static _Atomic uint64_t every_n;

static void load_request(void)
{
    char why[CONTROL_WHY], line[2 * CONTROL_WHY];
    uint32_t number;
    pthread_mutex_lock(&lock);
    if (control_number(tool.control) != loaded && control_get(tool.control, &request, &number)) {
        usable = request.mode != CONTROL_OFF;
        if (usable && !request.exact &&
            !pattern_compile(&pattern, request.pattern, why, sizeof why)) {
            usable = false;
            snprintf(line, sizeof line, "the expression is not valid: %s", why);
            tool_say(line);
        }
        atomic_store(&every_n, request.n);
        atomic_store(&mode, usable ? request.mode : CONTROL_OFF);
        atomic_store(&loaded, number);
    }
    pthread_mutex_unlock(&lock);
}

/* Whether the request matches a kernel. rooftop may show mangled or demangled names, so either is
 * accepted. */
static bool matches_request(struct seen *s)
{
    pthread_mutex_lock(&lock);
    const struct seen_name *n = s->name;
    const bool yes = usable && *n->mangled &&
                     (request.exact ? strcmp(n->mangled, request.pattern) == 0
                                    : pattern_matches(&pattern, n->demangled) ||
                                          pattern_matches(&pattern, n->mangled));
    atomic_store(&s->verdict, (uint64_t)atomic_load(&loaded) * 2 + yes);
    if (yes && n->row)
        atomic_store(&n->row->matching, atomic_load(&loaded));
    pthread_mutex_unlock(&lock);
    return yes;
}

static bool take_next(uint32_t number)
{
    uint32_t before = atomic_load(&tool.control->taken);
    while (before < number)
        if (atomic_compare_exchange_weak(&tool.control->taken, &before, number))
            return true;
    return false;
}

static bool take_nth(uint32_t number)
{
    uint32_t before = atomic_load(&served);
    while (before < number)
        if (atomic_compare_exchange_weak(&served, &before, number))
            return true;
    return false;
}

static enum wanted choose_wanted(uint32_t now, uint64_t index)
{
    const uint64_t n = atomic_load(&every_n);
    const uint32_t number = atomic_load(&loaded);
    switch (now) {
    case CONTROL_TIME:
        return WANTED_TIMED;
    case CONTROL_NTH:
        return index == n && take_nth(number) ? WANTED_CAPTURED : WANTED_NOT;
    case CONTROL_EVERY:
        return n > 0 && index % n == 0 ? WANTED_CAPTURED : WANTED_NOT;
    case CONTROL_NEXT:
        return take_next(number) ? WANTED_CAPTURED : WANTED_NOT;
    default:
        return WANTED_NOT;
    }
}

enum wanted request_ask(struct seen *s, uint64_t *index)
{
    const uint32_t number = control_number(tool.control);
    *index = atomic_fetch_add_explicit(&s->name->dispatches, 1, memory_order_relaxed);
    if (s->name->row)
        atomic_fetch_add_explicit(&s->name->row->dispatches, 1, memory_order_relaxed);
    if (number != atomic_load_explicit(&loaded, memory_order_acquire))
        load_request();
    const uint32_t now = atomic_load_explicit(&mode, memory_order_acquire);
    if (now == CONTROL_OFF)
        return WANTED_NOT;
    const uint64_t verdict = atomic_load_explicit(&s->verdict, memory_order_relaxed);
    if (!(verdict / 2 == number ? verdict % 2 : matches_request(s)))
        return WANTED_NOT;
    atomic_fetch_add_explicit(&tool.control->matching, 1, memory_order_relaxed);
    return choose_wanted(now, *index);
}

void request_copy(struct request_now *out)
{
    pthread_mutex_lock(&lock);
    out->number = atomic_load(&loaded);
    out->timeout_ms = request.timeout_ms ? request.timeout_ms : CONTROL_TIMEOUT_MS;
    out->post = request.post != 0;
    memcpy(out->folder, request.folder, sizeof out->folder);
    pthread_mutex_unlock(&lock);
}
