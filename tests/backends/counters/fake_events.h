/*
 * Replaces the program's catalog of events and its resolver, so that tests do not depend on the
 * machine. For one test program only, because it defines the program's symbols.
 */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/catalog.h"
#include "base/arena.h"
#include "support/fake_perf.h"

static const struct event_def core_events[] = {
    {"core", "cycles", "core/0x76", "cycles", ""},
    {"core", "instructions", "core/0xc0", "instructions", ""},
    {"l1d", "misses", "core/0x41", "misses", ""},
    {0},
};
static const struct event_def no_events[] = {{0}};
static const struct arch_def archs[] = {
    {"zen4", "AMD Zen 4", core_events, 6, 0},
    {"none", "no PMU", no_events, 0, 0},
    {0},
};
static const struct arch_def *arch = &archs[0];

const struct event_def catalog_common[] = {
    {"software", "task-clock", "soft/1", "time on CPUs", ""},
    {"software", "context-switches", "soft/3", "switches", ""},
    {"rapl", "pkg", "power/2", "energy", ""},
    {"dram", "read", "absent/1", "no such PMU here", ""},
    {"msr", "smi", "soft/9", "interrupts of system management", ""},
    {"msr", "other", "misspelt", "not a name of this machine", ""},
    {0},
};

const struct arch_def *arch_detect(void)
{
    return arch;
}

const char *arch_of_cpu(void)
{
    return "zen4";
}

const struct arch_def *arch_find(const char *key)
{
    for (const struct arch_def *a = archs; a->key; a++)
        if (!strcmp(a->key, key))
            return a;
    return NULL;
}

int event_resolve(const char *spec, struct perf_encoding *out, struct error *err)
{
    unsigned long config = 0;
    const char *slash = strchr(spec, '/');
    if (!slash)
        return error_set(err, ERROR_USAGE, EINVAL, "did you mean 'core/1'?", spec, "no such event");
    config = strtoul(slash + 1, NULL, 0);
    if (!strncmp(spec, "soft/", 5)) {
        *out = fake_software(config);
        if (config == 1) {
            out->scale = 1e-9;
            strcpy(out->unit, "s");
        }
    } else if (!strncmp(spec, "power/", 6)) {
        *out = fake_core(config);
        out->type = 20;
        out->scope = EVENT_UNCORE;
        out->scale = 0.5;
        strcpy(out->unit, "Joules");
        strcpy(out->pmu, "power");
        strcpy(out->cpumask, "0");
    } else if (!strncmp(spec, "absent/", 7)) {
        return error_set(err, ERROR_UNSUPPORTED, ENOENT, NULL, spec, "no memory PMU here");
    } else {
        *out = fake_core(config);
    }
    return 0;
}

int event_resolve_all(const char *spec, struct perf_encoding **out, size_t *n, struct error *err)
{
    struct perf_encoding e;
    int rc = event_resolve(spec, &e, err);
    if (rc < 0)
        return rc;
    *n = strncmp(spec, "hybrid/", 7) ? 1 : 2;
    *out = xcalloc(*n, sizeof **out);
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] = e;
        if (*n == 2) {
            (*out)[i].hybrid = true;
            (*out)[i].type = 10 + (uint32_t)i;
            strcpy((*out)[i].pmu, i ? "cpu_atom" : "cpu_core");
            strcpy((*out)[i].cpumask, i ? "1" : "0");
        }
    }
    return 0;
}

int event_list_parse(const char *list, struct event_request **out, size_t *n, struct error *err)
{
    struct perf_encoding *enc;
    int rc = event_resolve_all(list, &enc, n, err);
    if (rc < 0)
        return rc;
    *out = xcalloc(*n, sizeof **out);
    for (size_t i = 0; i < *n; i++) {
        snprintf((*out)[i].name, sizeof(*out)[i].name, "%s", list);
        snprintf((*out)[i].spec, sizeof(*out)[i].spec, "%s", list);
        (*out)[i].set = -1;
        (*out)[i].enc = enc[i];
    }
    free(enc);
    return 0;
}
