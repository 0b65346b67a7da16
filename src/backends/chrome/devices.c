/* Reads Kineto's "deviceProperties": the processors. Those with work become agents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"

static enum json_token read_device_member(struct chrome_store *s, struct chrome_device *d,
                                          struct json_tokens *j)
{
    struct {
        const char *name;
        uint32_t *number;
        uint64_t *large;
    } members[] = {
        {"id", NULL, &d->id},
        {"totalGlobalMem", NULL, &d->memory},
        {"numSms", &d->units, NULL},
        {"computeMajor", &d->major, NULL},
        {"computeMinor", &d->minor, NULL},
        {"warpSize", &d->warp, NULL},
        {"name", NULL, NULL},
    };
    size_t i = 0, n = sizeof members / sizeof *members;
    while (i < n && !json_tokens_are(j, members[i].name))
        i++;
    enum json_token t = json_tokens_next(j);
    uint64_t v;
    char text[128];
    if (i == n - 1) {
        chrome_text(j, t, text, sizeof text);
        d->model = *text ? graph_intern(s->trace->calls, text) : GRAPH_NONE;
    } else if (i < n && chrome_unsigned(j, t, &v)) {
        if (members[i].large)
            *members[i].large = v;
        else if (v < UINT32_MAX)
            *members[i].number = (uint32_t)v;
    }
    return json_tokens_skip(j, t);
}

static const struct chrome_device unknown = {
    .id = UINT64_MAX, .model = GRAPH_NONE, .units = TRACE_UNKNOWN, .agent = TRACE_UNKNOWN};

enum json_token chrome_devices_read(struct chrome_store *s, struct json_tokens *j,
                                    enum json_token t)
{
    if (t != JSON_ARRAY)
        return json_tokens_skip(j, t);
    while ((t = json_tokens_next(j)) == JSON_OBJECT) {
        struct chrome_device d = unknown;
        while ((t = json_tokens_next(j)) == JSON_KEY) {
            t = read_device_member(s, &d, j);
            if (t == JSON_BAD || t == JSON_CUT)
                return t;
        }
        if (t != JSON_OBJECT_END)
            return t;
        if (d.id < UINT32_MAX && s->devices.n < CHROME_MAX_DEVICES && CHROME_GROW(s->devices))
            s->devices.at[s->devices.n++] = d;
    }
    /* items that are not objects are skipped */
    while (t != JSON_ARRAY_END && t != JSON_BAD && t != JSON_CUT) {
        t = json_tokens_skip(j, t);
        if (t != JSON_BAD && t != JSON_CUT)
            t = json_tokens_next(j);
    }
    return t;
}

/* --- agents --- */

/* The name of an AMD processor. HIP's compute capability lacks the stepping; a name is given if the
 * number of compute units identifies it, or if only one stepping exists. From the processor table
 * of LLVM's AMDGPU backend, and the data sheets of MI100, MI210, MI250 and MI250X. */
static const char *amd_name(const struct chrome_device *d)
{
    if (d->major == 9 && d->minor == 0 && d->units == 120)
        return "gfx908";
    if (d->major == 9 && d->minor == 0 && (d->units == 104 || d->units == 110))
        return "gfx90a";
    if (d->major == 9 && d->minor == 4)
        return "gfx942";
    if (d->major == 9 && d->minor == 5)
        return "gfx950";
    return NULL;
}

static bool is_device_of_vendor(const struct graph *g, const struct chrome_device *d,
                                const char *vendor)
{
    const char *model = d->model == GRAPH_NONE ? "" : graph_text(g, d->model);
    const char *said = gpu_words_of("", model)->vendor;
    return said && strcmp(said, vendor) == 0;
}

bool chrome_is_amd(const struct chrome_store *s, const struct chrome_device *d)
{
    return d->warp == 64 || is_device_of_vendor(s->trace->calls, d, "amd");
}

static uint32_t intern_device_arch(const struct chrome_store *s, const struct chrome_device *d)
{
    struct graph *g = s->trace->calls;
    const char *name = NULL;
    char sm[32];
    if (chrome_is_amd(s, d)) {
        name = amd_name(d);
    } else if (d->major > 0 && (d->warp == 32 || is_device_of_vendor(g, d, "nvidia"))) {
        snprintf(sm, sizeof sm, "sm_%u%u", d->major, d->minor);
        name = sm;
    }
    return name ? graph_intern(g, name) : GRAPH_NONE;
}

/* The properties that all devices share; `unknown` if there are none or they differ. Which device
 * the properties belong to does not matter then. */
static struct chrome_device shared_by_all(const struct chrome_store *s)
{
    struct chrome_device all = s->devices.n ? s->devices.at[0] : unknown;
    for (uint32_t i = 1; i < s->devices.n; i++) {
        const struct chrome_device *d = &s->devices.at[i];
        if (d->model != all.model || d->units != all.units || d->memory != all.memory ||
            d->major != all.major || d->minor != all.minor || d->warp != all.warp)
            return unknown;
    }
    all.agent = TRACE_UNKNOWN;
    return all;
}

uint32_t chrome_agent(struct chrome_store *s, uint32_t device)
{
    uint32_t i = 0;
    if (device == TRACE_UNKNOWN)
        return TRACE_UNKNOWN;
    device = chrome_device_number(s, device);
    if (s->last_device < s->devices.n && s->devices.at[s->last_device].id == device)
        i = s->last_device;
    while (i < s->devices.n && s->devices.at[i].id != device)
        i++;
    if (i == s->devices.n) { /* a device with work but without properties */
        if (i >= CHROME_MAX_DEVICES || !CHROME_GROW(s->devices))
            return TRACE_UNKNOWN;
        s->devices.at[i] = s->rocm ? shared_by_all(s) : unknown;
        s->devices.at[i].id = device;
        s->devices.n++;
    }
    s->last_device = i;
    struct chrome_device *d = &s->devices.at[i];
    if (d->agent == TRACE_UNKNOWN)
        d->agent = trace_add_agent(s->trace, &(struct trace_agent){
                                                 .name = intern_device_arch(s, d),
                                                 .model = d->model,
                                                 .host = GRAPH_NONE,
                                                 .number = device,
                                                 .gpu = true,
                                                 .units = d->units,
                                                 .clock_mhz = TRACE_UNKNOWN,
                                                 .memory_bytes = d->memory,
                                             });
    return d->agent;
}
