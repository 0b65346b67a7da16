#include "backends/rocm/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "symbols/demangle.h"

const char *rocm_kernel_name(const char *name, char out[static ROCM_NAME])
{
    static const char ending[] = ".kd";
    char bare[ROCM_NAME];
    size_t n = strlen(name), end = sizeof ending - 1;
    if (n > end && strcmp(name + n - end, ending) == 0) {
        snprintf(bare, sizeof bare, "%.*s", (int)(n - end < ROCM_NAME ? n - end : ROCM_NAME), name);
        const char *text = demangle(bare, out, ROCM_NAME);
        return text == bare ? strcpy(out, bare) : text;
    }
    if (name[0] != '_')
        return name;
    return demangle(name, out, ROCM_NAME);
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
    return from_host == to_host ? 2 : from_host ? 0 : 1;
}
