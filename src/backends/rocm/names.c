#include "backends/rocm/names.h"

#include <stdio.h>
#include <string.h>

#include "symbols/demangle/demangle.h"

/* The length of a demangled name without rocprof's addition for a code object's descriptor. */
static size_t without_descriptor(const char *name)
{
    static const char *const endings[] = {" [clone .kd]", " (.kd)"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (n > end && strcmp(name + n - end, endings[i]) == 0)
            return n - end;
    }
    return n;
}

uint32_t rocm_kernel_name(struct graph *calls, const char *name)
{
    static const char ending[] = ".kd";
    char bare[ROCM_NAME], text[ROCM_NAME];
    size_t n = without_descriptor(name), end = sizeof ending - 1;
    if (n == strlen(name) && n > end && strcmp(name + n - end, ending) == 0)
        n -= end;
    if (n >= sizeof bare) /* do not cut it: two long names may have the same begin */
        return graph_intern(calls, name);
    memcpy(bare, name, n);
    bare[n] = '\0';
    return graph_intern(calls, demangle_whole(bare, text, sizeof text));
}

void rocm_program_name(const char *command, char *out, size_t size)
{
    const char *from = command + strspn(command, " \t");
    size_t n = strcspn(from, " \t");
    for (size_t i = 0; i + 1 < n; i++)
        if (from[i] == '/') {
            from += i + 1;
            n -= i + 1;
            i = (size_t)-1;
        }
    snprintf(out, size, "%.*s", (int)(n < size ? n : size), from);
}

uint32_t rocm_agent_name(struct trace *t, uint32_t agent)
{
    char name[32];
    if (agent == TRACE_UNKNOWN)
        return GRAPH_NONE;
    const struct trace_agent *a = &t->agents[agent];
    snprintf(name, sizeof name, "%s %u", a->gpu ? "GPU" : "CPU", a->number);
    return graph_intern(t->calls, name);
}

uint32_t rocm_direction(const struct trace *t, const char *kind, uint32_t from, uint32_t to)
{
    static const char *const texts[] = {"HOST_TO_DEVICE", "DEVICE_TO_HOST", "DEVICE_TO_DEVICE"};
    for (uint32_t i = 0; kind && i < 3; i++)
        if (strcasestr(kind, texts[i]))
            return i;
    bool from_host = from != TRACE_UNKNOWN && !t->agents[from].gpu;
    bool to_host = to != TRACE_UNKNOWN && !t->agents[to].gpu;
    if (from_host == to_host)
        return 2;
    return from_host ? 0 : 1;
}
