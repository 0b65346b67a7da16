#include "engine/session/session_impl.h"

#include <math.h>
#include <string.h>

struct top_row {
    const char *how, *none;
    int32_t cpus;
};
static const struct field top_fields[] = {
    KEPT(TEXT, struct top_row, how),
    KEPT(TEXT, struct top_row, none),
    KEPT(INT, struct top_row, cpus),
};
static const struct field cpu_peak_fields[] = {
    KEPT(DOUBLE, struct cpu_peak, one),
    KEPT(DOUBLE, struct cpu_peak, all),
    KEPT(DOUBLE, struct cpu_peak, one_spread),
    KEPT(DOUBLE, struct cpu_peak, all_spread),
};
const struct fields cpu_peak_record = RECORD(cpu_peak_fields, struct cpu_peak);
struct unit_row {
    const char *name;
    int32_t width;
    struct cpu_peak peak;
};
static const struct field unit_fields[] = {
    KEPT(TEXT, struct unit_row, name),
    KEPT(INT, struct unit_row, width),
    KEPT(DOUBLE, struct unit_row, peak.one),
    KEPT(DOUBLE, struct unit_row, peak.all),
    KEPT(DOUBLE, struct unit_row, peak.one_spread),
    KEPT(DOUBLE, struct unit_row, peak.all_spread),
};
static const struct field load_fields[] = {
    KEPT(DOUBLE, struct cpu_load, reads),
    KEPT(DOUBLE, struct cpu_load, bytes),
    KEPT(DOUBLE, struct cpu_load, latency),
    KEPT(DOUBLE, struct cpu_load, spread),
};
#define TOP  FIELDS(top_fields, struct top_row)
#define UNIT FIELDS(unit_fields, struct unit_row)
#define LOAD FIELDS(load_fields, struct cpu_load)

struct rows {
    struct top_row top;
    struct cpu_peak peaks[PEAKS];
    struct unit_row units[CPU_UNITS_MAX];
    const struct cpu_load *loads;
    size_t nunits, nloads;
};

static void host_roofs_to_rows(struct rows *out, const struct cpu_host *h)
{
    *out = (struct rows){.top = {.how = "", .none = ""}};
    if (!h)
        return;
    const struct cpu_roofs *cpu = &h->cpu;
    out->top = (struct top_row){cpu->how, cpu->none, (int32_t)cpu->cpus};
    memcpy(out->peaks, cpu->flops, sizeof cpu->flops);
    memcpy(out->peaks + FLOP_PEAKS, cpu->bytes, sizeof cpu->bytes);
    for (uint32_t i = 0; i < cpu->nunits; i++)
        out->units[i] =
            (struct unit_row){cpu->units[i].name, (int32_t)cpu->units[i].width, cpu->units[i].peak};
    out->nunits = cpu->nunits;
    out->loads = cpu->loads;
    out->nloads = cpu->nloads;
}

void frame_write_roofs(struct coder *c, const struct cpu_host *now, const struct cpu_host *prev)
{
    struct rows n, p;
    host_roofs_to_rows(&n, now);
    host_roofs_to_rows(&p, prev);
    fields_code(c, TOP, &n.top, &p.top);
    fields_write_rows(c, cpu_peak_record, false, n.peaks, PEAKS, p.peaks, PEAKS);
    fields_write_rows(c, UNIT, false, n.units, n.nunits, p.units, p.nunits);
    fields_write_rows(c, LOAD, false, n.loads, n.nloads, p.loads, p.nloads);
}

static bool is_peak(const struct cpu_peak *p)
{
    return p->one >= 0 && p->all >= 0 && isfinite(p->one) && isfinite(p->all);
}

/* Views draw these numbers without another check. */
static bool rows_are_sound(const struct cpu_peak *peaks, const struct unit_row *units,
                           size_t nunits, const struct cpu_load *loads, size_t nloads)
{
    for (int i = 0; i < PEAKS; i++)
        if (!is_peak(&peaks[i]))
            return false;
    for (size_t i = 0; i < nunits; i++)
        if (!is_peak(&units[i].peak) || units[i].width < 0)
            return false;
    for (size_t i = 0; i < nloads; i++)
        if (!(loads[i].bytes > 0 && loads[i].latency > 0 && loads[i].reads > 0 &&
              loads[i].reads <= 1) ||
            !isfinite(loads[i].bytes) || !isfinite(loads[i].latency))
            return false;
    return true;
}

const struct cpu_host *frame_read_roofs(struct coder *c, const struct cpu_host *prev)
{
    struct rows p;
    struct top_row top;
    struct cpu_unit units[CPU_UNITS_MAX];
    size_t npeaks = 0, nunits = 0, nloads = 0;
    host_roofs_to_rows(&p, prev);
    fields_code(c, TOP, &top, &p.top);
    const struct cpu_peak *peaks =
        fields_read_rows(c, cpu_peak_record, false, &npeaks, p.peaks, PEAKS);
    const struct unit_row *unit = fields_read_rows(c, UNIT, false, &nunits, p.units, p.nunits);
    const struct cpu_load *loads = fields_read_rows(c, LOAD, false, &nloads, p.loads, p.nloads);
    if (c->in->bad || npeaks != PEAKS || nunits > CPU_UNITS_MAX || nloads > CPU_LOADS_MAX ||
        top.cpus < 0 || top.cpus > CPUS_MAX ||
        !rows_are_sound(peaks, unit, nunits, loads, nloads)) {
        c->in->bad = true;
        return NULL;
    }
    struct cpu_roofs cpu = {.how = top.how,
                            .none = top.none,
                            .cpus = (uint32_t)top.cpus,
                            .units = units,
                            .loads = loads,
                            .nunits = (uint32_t)nunits,
                            .nloads = (uint32_t)nloads};
    memcpy(cpu.flops, peaks, sizeof cpu.flops);
    memcpy(cpu.bytes, peaks + FLOP_PEAKS, sizeof cpu.bytes);
    for (size_t i = 0; i < nunits; i++)
        units[i] = (struct cpu_unit){unit[i].name, (uint32_t)unit[i].width, unit[i].peak};
    return roofline_cpu_host(&c->s->arena, &cpu);
}
