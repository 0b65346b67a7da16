#include "engine/ports/ports.h"

#include <ctype.h>
#include <string.h>

#include "base/words.h"
#include "engine/live/metric.h"

/* What CPUs have counters for. cpus: keys of backends/perf_event/arch.c. */
static const struct {
    const char *cpus, *note;
} notes[] = {
    {"zen4 zen5",
     "AMD has no counter for a port or an ALU. Shown are the ops that each pipe was given, and the "
     "cycles in which dispatch waited because a scheduler, a queue or the registers of a pipe were "
     "full (AMD PPR 55901 and 57238, PMCx0AB, 029, 0AE, 0AF)."},
    {"zen3", "AMD has no counter for a port or an ALU, and rooftop maps the pipes of Zen 4 and Zen "
             "5 only."},
    {"skl icl spr adl",
     "Intel counts the uops that each port was given; some counters cover two or three ports. "
     "Ports "
     "are shared: 0, 1 and 5 do D and a part of C, 6 does branches and a part of D."},
    {"neoverse_v1 neoverse_n2 neoverse_v2",
     "Arm has no counter for a pipe. Shown are the slots that were used, and the operations by "
     "type as they were executed, also wrongly."},
    {"armv8_slots",
     "Arm has no counter for a pipe. Shown are the slots that were used: operations by type are "
     "optional in the architecture, and this CPU is not known to have them."},
    {"armv8 neoverse_n1", "Arm has no counter for a pipe, and this CPU has no counter for slots: "
                          "stalls (in the counters "
                          "view) are all that it tells."},
    {0},
};

/* Copies the key without the number of slots at its end. */
static const char *plain_key(const char *arch)
{
    return strncmp(arch, "armv8_slots", 11) == 0 ? "armv8_slots" : arch;
}

const char *ports_note(const char *arch)
{
    const char *key = plain_key(arch);
    for (size_t i = 0; notes[i].cpus; i++)
        if (words_have(notes[i].cpus, key))
            return notes[i].note;
    return "What this CPU counts of its pipes and ports is not known to rooftop.";
}

/* Whether the formula names the event. */
static bool is_in_formula(const char *formula, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = formula; (p = strstr(p, name)); p += n) {
        char before = p > formula ? p[-1] : ' ', after = p[n];
        if (!isalnum((unsigned char)before) && before != '_' && before != '.' &&
            !isalnum((unsigned char)after) && after != '_')
            return true;
    }
    return false;
}

/* Splits "NAME=r4ab (cpu type=4 config=0x4ab)", as the counter's spec is written. */
static struct ports_event split_spec(struct arena *a, const char *spec)
{
    const char *end = strchr(spec, ' '), *code = strstr(spec, "=r");
    int length = (int)(end ? end - spec : (long)strlen(spec));
    if (!code || code > spec + length || strchr(spec, '/'))
        return (struct ports_event){arena_printf(a, "%.*s", length, spec), ""};
    return (struct ports_event){arena_printf(a, "%.*s", (int)(code - spec), spec),
                                arena_printf(a, "%.*s", (int)(spec + length - code - 1), code + 1)};
}

/* Adds the events in the formula of this row; if it has none, those of a metric in the formula. */
static void find_events(struct ports_report *r, struct ports_row *row, const struct metric_def *d)
{
    const struct snapshot *s = r->snap;
    for (size_t i = 0; i < s->ncounters && row->nevents < PORTS_EVENTS_MAX; i++) {
        const struct counter *c = &s->counters[i];
        if (strcmp(c->set, d->set) == 0 && strcmp(c->name, "cycles") != 0 && c->spec &&
            is_in_formula(d->formula, c->name))
            row->events[row->nevents++] = split_spec(&r->texts, c->spec);
    }
    for (const struct metric_def *step = metric_table; step->id; step++)
        if (!*step->label && strcmp(step->set, d->set) == 0 && step != d &&
            words_have(step->cpus, plain_key(s->host->pmu_arch)) &&
            is_in_formula(d->formula, step->id) && row->nevents == 0)
            find_events(r, row, step);
}

static void add_port(struct ports_report *r, const struct metric *m)
{
    struct ports_row *row = &r->rows[r->n++];
    size_t letters = strcspn(m->def->label, " ");
    *row = (struct ports_row){.metric = m, .label = m->def->label};
    if (letters < sizeof row->pipes && m->def->label[letters]) {
        memcpy(row->pipes, m->def->label, letters);
        row->label += letters + 1;
    }
    r->counted += m->value.validity == VALUE_OK;
}

static const char *common_reason(const struct ports_report *r)
{
    const char *why = r->n ? r->rows[0].metric->value.why : NULL;
    for (size_t i = 0; why && i < r->n; i++) {
        const char *other = r->rows[i].metric->value.why;
        if (!other || strcmp(other, why) != 0)
            return NULL;
    }
    return r->counted ? NULL : why;
}

void ports_report_make(struct ports_report *r, const struct snapshot *s)
{
    *r = (struct ports_report){.snap = s, .note = ports_note(s->host ? s->host->pmu_arch : "")};
    for (size_t i = 0; i < s->nmetrics && r->n < PORTS_ROWS_MAX; i++)
        if (s->metrics[i].def->group == METRIC_PORTS)
            add_port(r, &s->metrics[i]);
    for (size_t i = 0; i < r->n; i++)
        find_events(r, &r->rows[i], r->rows[i].metric->def);
    r->why = common_reason(r);
}

void ports_report_free(struct ports_report *r)
{
    arena_free(&r->texts);
    *r = (struct ports_report){0};
}
