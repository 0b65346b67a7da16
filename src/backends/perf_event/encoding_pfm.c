/*
 * libpfm4's names. Its tables only encode; perf_event_open tells whether this machine counts the
 * event. It is loaded when the first name needs it: its 2.7 MB of relocated tables would slow down
 * every start, even on machines without a PMU, which never use it.
 */
#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/perf_event/encoding_names.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
/* libpfm4 does not promise thread safety */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state = PFM_ERR_NOINIT;

static struct {
    __typeof__(pfm_initialize) *initialize;
    __typeof__(pfm_get_os_event_encoding) *encode;
    __typeof__(pfm_get_pmu_info) *pmu_info;
    __typeof__(pfm_get_event_next) *event_next;
    __typeof__(pfm_get_event_info) *event_info;
    __typeof__(pfm_get_event_attr_info) *attr_info;
} pfm;

static void start_pfm(void)
{
    void *lib = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return;
    /* POSIX's way to convert an object pointer to a function pointer */
    *(void **)&pfm.initialize = dlsym(lib, "pfm_initialize");
    *(void **)&pfm.encode = dlsym(lib, "pfm_get_os_event_encoding");
    *(void **)&pfm.pmu_info = dlsym(lib, "pfm_get_pmu_info");
    *(void **)&pfm.event_next = dlsym(lib, "pfm_get_event_next");
    *(void **)&pfm.event_info = dlsym(lib, "pfm_get_event_info");
    *(void **)&pfm.attr_info = dlsym(lib, "pfm_get_event_attr_info");
    if (pfm.initialize && pfm.encode && pfm.pmu_info && pfm.event_next && pfm.event_info &&
        pfm.attr_info)
        state = pfm.initialize();
}

static void name_pmu(struct perf_encoding *e, uint32_t type)
{
    static const char *const fixed[] = {"cpu", "software", "tracepoint",
                                        "cpu", "cpu",      "breakpoint"};
    snprintf(e->pmu, sizeof e->pmu, "%s", type < 6 ? fixed[type] : "uncore");
}

int names_pfm(const char *name, struct encodings *out)
{
    struct perf_event_attr attr = {.size = sizeof attr};
    char *full = NULL;
    pfm_perf_encode_arg_t arg = {.attr = &attr, .fstr = &full, .size = sizeof arg};
    pthread_once(&once, start_pfm);
    if (state != PFM_SUCCESS)
        return NOT_MINE;
    pthread_mutex_lock(&lock);
    int rc = pfm.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
    pthread_mutex_unlock(&lock);
    free(full);
    /*
     * tracepoint.c handles tracepoints: libpfm4 would read from a debugfs that it finds by itself.
     */
    if (rc != PFM_SUCCESS || attr.type == PERF_TYPE_TRACEPOINT)
        return NOT_MINE;
    if (attr.type == PERF_TYPE_RAW)
        encodings_on_cores(out, attr.type, attr.config, false);
    else if (attr.type == PERF_TYPE_HARDWARE || attr.type == PERF_TYPE_HW_CACHE)
        encodings_on_cores(out, attr.type, attr.config, true);
    else {
        out->n = 1;
        out->rows[0] = (struct perf_encoding){.type = attr.type, .config = attr.config, .scale = 1};
        out->rows[0].scope = attr.type >= 6 ? EVENT_UNCORE : EVENT_CORE;
        out->rows[0].counters = attr.type >= 6;
        name_pmu(&out->rows[0], attr.type);
    }
    for (size_t i = 0; i < out->n; i++) {
        out->rows[i].config1 = attr.config1;
        out->rows[i].config2 = attr.config2;
        if (out->rows[i].scope == EVENT_UNCORE)
            continue;
        out->rows[i].exclude_user = attr.exclude_user;
        out->rows[i].exclude_kernel = attr.exclude_kernel;
        out->rows[i].exclude_hv = attr.exclude_hv && (attr.exclude_user || attr.exclude_kernel);
    }
    return 0;
}

/* --- listing --- */

enum { MODIFIERS_MAX = 96 };

struct pfm_listing {
    event_sink sink;
    void *ctx;
    const pfm_pmu_info_t *pmu;
    char modifiers[MODIFIERS_MAX];
};

static void give_event(const struct pfm_listing *l, const pfm_event_info_t *event,
                       const pfm_event_attr_info_t *mask)
{
    char name[256], description[1024];
    /* A name without PMU is enough if its PMU is this CPU's default. */
    snprintf(name, sizeof name, "%s%s%s%s%s", l->pmu->is_dfl ? "" : l->pmu->name,
             l->pmu->is_dfl ? "" : "::", event->name, mask ? ":" : "", mask ? mask->name : "");
    snprintf(description, sizeof description, "%s%s%s", event->desc ? event->desc : "",
             mask ? ": " : "", mask && mask->desc ? mask->desc : "");
    l->sink(l->ctx, &(struct event_about){.kind = EVENT_KIND_LIBPFM,
                                          .name = name,
                                          .pmu = l->pmu->name,
                                          .description = description,
                                          .modifiers = l->modifiers});
}

static bool read_pfm_attribute(int event, int i, pfm_event_attr_info_t *out)
{
    *out = (pfm_event_attr_info_t){.size = sizeof *out};
    return pfm.attr_info(event, i, PFM_OS_PERF_EVENT, out) == PFM_SUCCESS && out->name;
}

/* An event that has unit masks and no default one cannot be counted without a mask. */
static void list_event(struct pfm_listing *l, int id)
{
    pfm_event_info_t event = {.size = sizeof event};
    pfm_event_attr_info_t a;
    bool masks = false, any = false;
    if (pfm.event_info(id, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS || !event.name)
        return;
    l->modifiers[0] = 0;
    for (int i = 0; i < event.nattrs; i++) {
        if (!read_pfm_attribute(id, i, &a))
            continue;
        size_t used = strlen(l->modifiers);
        if (a.type == PFM_ATTR_UMASK)
            masks = true, any |= a.is_dfl;
        else
            snprintf(l->modifiers + used, sizeof l->modifiers - used, "%s%s%s", used ? ", " : "",
                     a.name, a.type == PFM_ATTR_MOD_INTEGER ? "=N" : "");
    }
    if (!masks || any)
        give_event(l, &event, NULL);
    for (int i = 0; i < event.nattrs; i++)
        if (read_pfm_attribute(id, i, &a) && a.type == PFM_ATTR_UMASK)
            give_event(l, &event, &a);
}

void names_pfm_list(event_sink sink, void *ctx)
{
    pthread_once(&once, start_pfm);
    if (state != PFM_SUCCESS)
        return;
    pthread_mutex_lock(&lock);
    for (int p = 0; p < PFM_PMU_MAX; p++) {
        pfm_pmu_info_t pmu = {.size = sizeof pmu};
        struct pfm_listing l = {.sink = sink, .ctx = ctx, .pmu = &pmu};
        if (pfm.pmu_info((pfm_pmu_t)p, &pmu) != PFM_SUCCESS || !pmu.is_present)
            continue;
        if (p == PFM_PMU_PERF_EVENT || p == PFM_PMU_PERF_EVENT_RAW)
            continue; /* rooftop has these names itself */
        for (int i = pmu.first_event; i != -1; i = pfm.event_next(i))
            list_event(&l, i);
    }
    pthread_mutex_unlock(&lock);
}
