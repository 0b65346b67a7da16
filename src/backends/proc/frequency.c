#include "backends/proc/proc_impl.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/common/proc_file.h"
#include "backends/common/proc_parse.h"
#include "base/arena.h"

/* Reading a frequency may cost an interrupt on that CPU: read each once a second, and at most this
 * many in a poll. */
enum { PERIOD_NS = 1000000000, READS_MAX = 128 };

struct frequency {
    const struct topology *topo;
    const char *missing; /* why no CPU has a frequency; NULL if some do */
    struct kept_file *files;
    struct value *hz;
    uint64_t *read_ns;
    int next; /* the CPU at which the next poll continues */
};

struct frequency *frequency_open(const struct topology *topo)
{
    struct frequency *f = xcalloc(1, sizeof *f);
    char path[128];
    size_t n = (size_t)topo->ncpus;
    f->topo = topo;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
             topo->cpus[0].id);
    if (!file_exists(path)) {
        f->missing = "no cpufreq here (a virtual machine, or no driver)";
        return f;
    }
    f->files = xcalloc(n, sizeof *f->files);
    f->hz = xcalloc(n, sizeof *f->hz);
    f->read_ns = xcalloc(n, sizeof *f->read_ns);
    for (size_t i = 0; i < n; i++)
        f->hz[i] = value_pending(UNIT_HZ);
    return f;
}

static struct value read_hz(struct frequency *f, int i)
{
    char path[128], text[32];
    double khz;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
             f->topo->cpus[i].id);
    ssize_t n = kept_read(&f->files[i], path, text, sizeof text);
    if (n > 0 && parse_decimals(text, (size_t)n, &khz, 1) == 1)
        return value_ok(khz * 1000, UNIT_HZ);
    kept_close(&f->files[i]); /* a CPU that comes back online has a new file */
    return value_missing("cpufreq does not tell it", UNIT_HZ);
}

static void refresh_frequencies(struct frequency *f, uint64_t now_ns)
{
    int n = f->topo->ncpus, reads = 0;
    for (int k = 0; k < n && reads < READS_MAX; k++) {
        int i = f->next;
        f->next = (f->next + 1) % n;
        if (f->read_ns[i] && now_ns - f->read_ns[i] < PERIOD_NS)
            continue;
        f->hz[i] = read_hz(f, i);
        f->read_ns[i] = now_ns;
        reads++;
    }
}

void frequency_fill(struct frequency *f, struct snapshot *out, uint64_t now_ns)
{
    double sum = 0;
    int n = 0;
    if (!f->missing)
        refresh_frequencies(f, now_ns);
    for (int i = 0; i < f->topo->ncpus; i++) {
        struct cpu *c = &out->cpus[i];
        if (f->missing)
            c->hz = value_missing(f->missing, UNIT_HZ);
        else if (c->busy.validity == VALUE_MISSING)
            c->hz = value_missing(c->busy.why, UNIT_HZ);
        else
            c->hz = f->hz[i];
        if (c->hz.validity == VALUE_OK) {
            sum += c->hz.v;
            n++;
        }
    }
    out->total.hz = n ? value_ok(sum / n, UNIT_HZ) : out->cpus[0].hz;
}

void frequency_close(struct frequency *f)
{
    for (int i = 0; f->files && i < f->topo->ncpus; i++)
        kept_close(&f->files[i]);
    free(f->files);
    free(f->hz);
    free(f->read_ns);
    free(f);
}
