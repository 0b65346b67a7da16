/* Names of events, as in perf, and their arguments of perf_event_open. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "brick/counters.h"

#define CACHE(which, op, result)                                                                   \
    PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##which | PERF_COUNT_HW_CACHE_OP_##op << 8 |           \
                            PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define HARDWARE(which) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##which
#define SOFTWARE(which) PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##which

/* linux/perf_event.h has the numbers; the names are those of `perf list`. */
static const struct counter_name {
    const char *name;
    uint32_t type;
    uint64_t config;
    bool in_kernel; /* it happens in the kernel, so user mode alone would read 0 */
} counter_names[] = {
    {"cycles", HARDWARE(CPU_CYCLES), false},
    {"cpu-cycles", HARDWARE(CPU_CYCLES), false},
    {"instructions", HARDWARE(INSTRUCTIONS), false},
    {"cache-references", HARDWARE(CACHE_REFERENCES), false},
    {"cache-misses", HARDWARE(CACHE_MISSES), false},
    {"branches", HARDWARE(BRANCH_INSTRUCTIONS), false},
    {"branch-instructions", HARDWARE(BRANCH_INSTRUCTIONS), false},
    {"branch-misses", HARDWARE(BRANCH_MISSES), false},
    {"bus-cycles", HARDWARE(BUS_CYCLES), false},
    {"ref-cycles", HARDWARE(REF_CPU_CYCLES), false},
    {"stalled-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND), false},
    {"stalled-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND), false},
    {"L1-dcache-loads", CACHE(L1D, READ, ACCESS), false},
    {"L1-dcache-load-misses", CACHE(L1D, READ, MISS), false},
    {"L1-dcache-stores", CACHE(L1D, WRITE, ACCESS), false},
    {"L1-dcache-store-misses", CACHE(L1D, WRITE, MISS), false},
    {"L1-icache-loads", CACHE(L1I, READ, ACCESS), false},
    {"L1-icache-load-misses", CACHE(L1I, READ, MISS), false},
    {"LLC-loads", CACHE(LL, READ, ACCESS), false},
    {"LLC-load-misses", CACHE(LL, READ, MISS), false},
    {"LLC-stores", CACHE(LL, WRITE, ACCESS), false},
    {"LLC-store-misses", CACHE(LL, WRITE, MISS), false},
    {"dTLB-loads", CACHE(DTLB, READ, ACCESS), false},
    {"dTLB-load-misses", CACHE(DTLB, READ, MISS), false},
    {"dTLB-stores", CACHE(DTLB, WRITE, ACCESS), false},
    {"dTLB-store-misses", CACHE(DTLB, WRITE, MISS), false},
    {"iTLB-loads", CACHE(ITLB, READ, ACCESS), false},
    {"iTLB-load-misses", CACHE(ITLB, READ, MISS), false},
    {"branch-loads", CACHE(BPU, READ, ACCESS), false},
    {"branch-load-misses", CACHE(BPU, READ, MISS), false},
    {"task-clock", SOFTWARE(TASK_CLOCK), false},
    {"cpu-clock", SOFTWARE(CPU_CLOCK), false},
    {"page-faults", SOFTWARE(PAGE_FAULTS), false},
    {"faults", SOFTWARE(PAGE_FAULTS), false},
    {"minor-faults", SOFTWARE(PAGE_FAULTS_MIN), false},
    {"major-faults", SOFTWARE(PAGE_FAULTS_MAJ), false},
    {"context-switches", SOFTWARE(CONTEXT_SWITCHES), true},
    {"cpu-migrations", SOFTWARE(CPU_MIGRATIONS), true},
};

/* Takes a modifier from the end of the text: ":u", ":k", ":uk". */
static void take_modes(char *text, bool *user, bool *kernel)
{
    char *at = strrchr(text, ':');
    if (!at || at[1] == '\0' || at[1 + strspn(at + 1, "uk")] != '\0')
        return;
    *user = strchr(at + 1, 'u') != NULL;
    *kernel = strchr(at + 1, 'k') != NULL;
    *at = '\0';
}

static bool whole_number(const char *text, int base, uint64_t *out)
{
    char *end;
    if (*text == '\0' || *text == '-' || *text == '+' || *text == ' ')
        return false;
    *out = strtoull(text, &end, base);
    return *end == '\0';
}

/* NAME=TYPE:CONFIG; cuts text after the name. */
static bool parse_numbers(char *text, struct counter_event *out)
{
    uint64_t type, config;
    char *equal = strchr(text, '='), *colon = equal ? strchr(equal, ':') : NULL;
    if (!colon || equal == text)
        return false;
    *colon = '\0';
    bool ok = whole_number(equal + 1, 0, &type) && type <= UINT32_MAX &&
              whole_number(colon + 1, 0, &config);
    *colon = ':';
    if (!ok)
        return false;
    *equal = '\0';
    out->type = (uint32_t)type;
    out->config = config;
    return true;
}

static bool parse_name(const char *text, struct counter_event *out)
{
    for (size_t i = 0; i < sizeof counter_names / sizeof *counter_names; i++)
        if (strcmp(text, counter_names[i].name) == 0) {
            out->type = counter_names[i].type;
            out->config = counter_names[i].config;
            out->kernel = counter_names[i].in_kernel;
            return true;
        }
    out->type = PERF_TYPE_RAW;
    return text[0] == 'r' && whole_number(text + 1, 16, &out->config);
}

bool counter_event_parse(const char *text, struct counter_event *out)
{
    char copy[COUNTER_TEXT_MAX];
    *out = (struct counter_event){.user = true};
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy)
        return false;
    bool user = false, kernel = false;
    take_modes(copy, &user, &kernel);
    bool ok = strchr(copy, '=') ? parse_numbers(copy, out) : parse_name(copy, out);
    if (user || kernel) {
        out->user = user;
        out->kernel = kernel;
    }
    if (strchr(text, '='))
        snprintf(out->name, sizeof out->name, "%.*s", COUNTER_NAME_MAX - 1, copy);
    else
        snprintf(out->name, sizeof out->name, "%.*s", COUNTER_NAME_MAX - 1, text);
    return ok;
}
