#include "engine/live/metric.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/words.h"
#include "engine/live/user_tables.h"
#include "engine/value/formula.h"

enum slot_kind {
    SLOT_COUNTER,
    SLOT_METRIC,
    SLOT_INTERVAL,
    SLOT_NCPUS,
    SLOT_TASK,
    SLOT_BUSY,
    SLOT_WIDTH
};

/* A value that formulas read. */
struct metric_slot {
    enum slot_kind kind;
    char *set, *name; /* of SLOT_COUNTER; for SLOT_METRIC name is the metric's id */
    size_t hint;      /* index of the counter in the last snapshot */
    /* these are of the snapshot that is being evaluated */
    bool exists;
    int group; /* group of a counter; -1: it was counted alone */
    struct value value;
    const struct value *percpu;
};

struct metric_row {
    struct metric_def def; /* its strings belong to the static table or to the user's tables */
    const struct metric_def *table; /* the built-in row; NULL for a user's metric */
    struct formula *formula;
    int state;   /* while the evaluation is ordered: 0 new, 1 being visited, 2 done */
    size_t next; /* the next alternative with this id; 0 = none */
    size_t slot; /* the SLOT_METRIC that holds its value, or NO_SLOT */
};
enum { NO_SLOT = 0xffff, SLOTS_MAX = 4096, CPUS_MAX = 4096 };

struct metric_work { /* what changes with each evaluation, apart from the slots */
    double *values;
};

struct metric_set {
    char arch[32];
    double width; /* slots per cycle; 0 = unknown */
    struct metric_row *rows;
    size_t nrows;
    size_t *order; /* first alternatives of all metrics, in an order in which each follows what it
                      reads */
    size_t norder;
    struct metric_slot *slots;
    size_t nslots;
    struct metric_work *work;
};

const char *metric_group_title(enum metric_group g)
{
    static const char *const titles[METRIC_GROUP_COUNT] = {
        [METRIC_PIPELINE] = "pipeline", [METRIC_TOPDOWN] = "top-down",
        [METRIC_BRANCH] = "branches",   [METRIC_CACHE] = "caches",
        [METRIC_TLB] = "TLB",           [METRIC_COMPUTE] = "compute",
        [METRIC_MEMORY] = "memory",     [METRIC_POWER] = "power",
        [METRIC_SOFTWARE] = "software", [METRIC_USER] = "yours",
        [METRIC_PORTS] = "pipes",
    };
    return (unsigned)g < METRIC_GROUP_COUNT ? titles[g] : "";
}

static bool is_metric_of_cpu(const struct metric_def *d, const char *arch)
{
    return words_have(d->cpus, "any") || words_have(d->cpus, arch);
}

/* Splits "armv8_slots8" into the architecture of the table's rows, "armv8_slots", and 8 slots per
 * cycle. */
static void split_arch(struct metric_set *m, const char *arch)
{
    snprintf(m->arch, sizeof m->arch, "%s", arch);
    char *mark = strstr(m->arch, "_slots");
    if (mark && mark[6]) {
        m->width = atoi(mark + 6);
        mark[6] = 0;
    }
}

static size_t add_slot(struct metric_set *m, enum slot_kind kind, const char *set, const char *name)
{
    for (size_t i = 0; i < m->nslots; i++) {
        const struct metric_slot *s = &m->slots[i];
        if (s->kind == kind && strcmp(s->name, name) == 0 && strcmp(s->set, set) == 0)
            return i;
    }
    if (m->nslots >= SLOTS_MAX)
        return NO_SLOT;
    m->slots = xrealloc(m->slots, m->nslots + 1, sizeof *m->slots);
    m->slots[m->nslots] =
        (struct metric_slot){.kind = kind, .set = xstrdup(set), .name = xstrdup(name), .group = -1};
    return m->nslots++;
}

static size_t find_metric_row(const struct metric_set *m, const char *id)
{
    for (size_t i = 0; i < m->nrows; i++)
        if (strcmp(m->rows[i].def.id, id) == 0)
            return i;
    return m->nrows;
}

/* --- compiling --- */

struct binder {
    struct metric_set *m;
    const struct metric_row *row;
    const struct user_tables *user;
};

/* An event of the user's file takes precedence over a metric of the same name. */
static bool user_event(const struct user_tables *u, const char *set, const char *name)
{
    for (size_t i = 0; u && i < u->nevents; i++)
        if (strcmp(u->events[i].name, name) == 0 && strcmp(u->events[i].set, set) == 0)
            return true;
    return false;
}

static const struct {
    const char *name;
    enum slot_kind kind;
} words[] = {{"interval", SLOT_INTERVAL},
             {"ncpus", SLOT_NCPUS},
             {"task_seconds", SLOT_TASK},
             {"busy", SLOT_BUSY},
             {"slots_per_cycle", SLOT_WIDTH}};

bool metric_is_word(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i].name) == 0)
            return true;
    return false;
}

static int bind_formula_name(void *ctx, const char *name, char why[192])
{
    struct binder *b = ctx;
    const char *set = b->row->def.set, *dot = strchr(name, '.');
    size_t slot = NO_SLOT;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i].name) == 0)
            return (int)add_slot(b->m, words[i].kind, "", name);
    size_t other = find_metric_row(b->m, name);
    if (dot && dot != name && dot[1]) {
        char buf[FORMULA_NAME_MAX];
        snprintf(buf, sizeof buf, "%.*s", (int)(dot - name), name);
        slot = add_slot(b->m, SLOT_COUNTER, buf, dot + 1);
    } else if (other < b->m->nrows && strcmp(name, b->row->def.id) != 0 &&
               !user_event(b->user, set, name)) {
        slot = add_slot(b->m, SLOT_METRIC, "", name);
    } else {
        slot = add_slot(b->m, SLOT_COUNTER, set, name);
    }
    if (slot == NO_SLOT) {
        snprintf(why, 192, "too many different names in all formulas");
        return -1;
    }
    return (int)slot;
}

static void add_metric_row(struct metric_set *m, const struct metric_def *d, bool builtin)
{
    size_t before = find_metric_row(m, d->id), at = m->nrows;
    m->rows = xrealloc(m->rows, m->nrows + 1, sizeof *m->rows);
    m->rows[m->nrows++] =
        (struct metric_row){.def = *d, .table = builtin ? d : NULL, .slot = NO_SLOT};
    if (before == at)
        return;
    while (m->rows[before].next)
        before = m->rows[before].next;
    m->rows[before].next = at;
}

/* Whether the row is the first alternative of its metric. */
static bool is_head(const struct metric_set *m, size_t row)
{
    return find_metric_row(m, m->rows[row].def.id) == row;
}

static int order_row(struct metric_set *m, size_t head, struct error *err)
{
    struct metric_row *r = &m->rows[head];
    if (r->state == 2)
        return 0;
    if (r->state == 1)
        return error_set(err, ERROR_INPUT, EINVAL,
                         "break the circle: a metric may only use others that do not use it",
                         r->def.id, "its formula leads back to itself");
    r->state = 1;
    for (size_t alt = head;; alt = m->rows[alt].next) {
        size_t n;
        const int *slots = formula_slots(m->rows[alt].formula, &n);
        for (size_t i = 0; i < n; i++) {
            const struct metric_slot *s = &m->slots[slots[i]];
            if (s->kind != SLOT_METRIC)
                continue;
            int rc = order_row(m, find_metric_row(m, s->name), err);
            if (rc)
                return rc;
        }
        if (!m->rows[alt].next)
            break;
    }
    r->state = 2;
    m->order[m->norder++] = head;
    return 0;
}

/* Gives every metric that others read a slot for its value, and orders the evaluation so that
 * values are computed before they are read. */
static int link_rows(struct metric_set *m, struct error *err)
{
    m->order = xcalloc(m->nrows + 1, sizeof *m->order);
    for (size_t i = 0; i < m->nslots; i++)
        if (m->slots[i].kind == SLOT_METRIC)
            m->rows[find_metric_row(m, m->slots[i].name)].slot = i;
    for (size_t i = 0; i < m->nrows; i++) {
        int rc = is_head(m, i) ? order_row(m, i, err) : 0;
        if (rc)
            return rc;
    }
    m->work = xcalloc(1, sizeof *m->work);
    m->work->values = xcalloc(m->nslots + 1, sizeof *m->work->values);
    return 0;
}

static int compile_row(struct metric_set *m, size_t i, const struct user_tables *user,
                       struct error *err)
{
    struct error inner = ERROR_INIT;
    struct metric_row *r = &m->rows[i];
    struct binder b = {m, r, user};
    int rc = formula_compile(&r->formula, r->def.formula, bind_formula_name, &b, &inner);
    if (rc == 0)
        return 0;
    char what[192];
    snprintf(what, sizeof what, "metric '%.64s', %.32s of its formula", r->def.id, inner.what);
    return error_set(err, ERROR_INPUT, EINVAL, NULL, what, "%s", inner.why);
}

int metric_compile(struct metric_set **out, const char *arch, const struct user_tables *user,
                   struct error *err)
{
    struct metric_set *m = xcalloc(1, sizeof *m);
    int rc = 0;
    *out = NULL;
    split_arch(m, arch);
    for (const struct metric_def *d = metric_table; d->id; d++)
        if (is_metric_of_cpu(d, m->arch))
            add_metric_row(m, d, true);
    for (size_t i = 0; user && i < user->nmetrics; i++)
        if (is_metric_of_cpu(&user->metrics[i], m->arch))
            add_metric_row(m, &user->metrics[i], false);
    for (size_t i = 0; i < m->nrows && rc == 0; i++)
        rc = compile_row(m, i, user, err);
    if (rc == 0)
        rc = link_rows(m, err);
    if (rc) {
        metric_free(m);
        return rc;
    }
    *out = m;
    return 0;
}

void metric_free(struct metric_set *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->nrows; i++)
        formula_free(m->rows[i].formula);
    for (size_t i = 0; i < m->nslots; i++) {
        free(m->slots[i].set);
        free(m->slots[i].name);
    }
    if (m->work)
        free(m->work->values);
    free(m->work);
    free(m->rows);
    free(m->order);
    free(m->slots);
    free(m);
}

/* --- evaluating --- */

/* The reason why a set lacks an event. */
static const char *absent_reason(const struct metric_set *m, struct snapshot *s, const char *set,
                                 const char *name)
{
    bool counted = false;
    for (size_t i = 0; i < s->ncounters && !counted; i++)
        counted = strcmp(s->counters[i].set, set) == 0;
    if (strcmp(set, "rapl") == 0)
        return "no energy counters here (RAPL, the kernel's power PMU)";
    if (strcmp(set, "dram") == 0)
        return "no memory-controller counters here (amd_umc, uncore_imc)";
    if (strcmp(set, "msr") == 0)
        return "no msr PMU here";
    if (strcmp(set, "software") == 0 && !counted)
        return "software events are not counted here";
    if (counted && strcmp(m->arch, "generic") != 0)
        return snapshot_printf(s, "no event of set '%.40s' is called '%.60s' here", set, name);
    if (strcmp(m->arch, "none") == 0 || !*m->arch)
        return s->host && *s->host->hypervisor
                   ? "no core PMU: this virtual machine has none"
                   : "no core PMU: the kernel has no driver for this CPU's counters";
    if (strcmp(m->arch, "generic") == 0)
        return "no event known for it on this CPU model";
    return snapshot_printf(
        s, "the events of set '%.40s' are not counted (-e replaces the default sets)", set);
}

static void load_counter(const struct metric_set *m, struct metric_slot *slot, struct snapshot *s)
{
    const struct counter *c = slot->hint < s->ncounters ? &s->counters[slot->hint] : NULL;
    if (!c || strcmp(c->name, slot->name) != 0 || strcmp(c->set, slot->set) != 0)
        c = snapshot_counter(s, slot->set, slot->name);
    slot->exists = c != NULL;
    slot->percpu = NULL;
    slot->group = -1;
    if (c) {
        slot->hint = (size_t)(c - s->counters);
        slot->value = c->delta;
        /* an event that could not be opened: alternatives are chosen as if it did not exist, but
         * its reason is shown */
        if (c->delta.validity == VALUE_MISSING && c->enabled_ns == 0)
            slot->exists = false;
        slot->percpu = c->percpu;
        slot->group = c->group;
    } else {
        slot->value = value_missing(absent_reason(m, s, slot->set, slot->name), UNIT_COUNT);
    }
}

static void load_builtin(const struct metric_set *m, struct metric_slot *slot, struct snapshot *s)
{
    bool host = s->target_kind == TARGET_HOST;
    const struct counter *c;
    slot->exists = true;
    slot->percpu = NULL;
    switch (slot->kind) {
    case SLOT_INTERVAL:
        slot->value =
            s->interval_s > 0 ? value_ok(s->interval_s, UNIT_SECONDS) : value_pending(UNIT_SECONDS);
        break;
    case SLOT_NCPUS:
        slot->value = value_ok(s->host && s->host->ncpus > 0 ? s->host->ncpus : 1, UNIT_NONE);
        break;
    case SLOT_WIDTH:
        slot->value =
            m->width > 0
                ? value_ok(m->width, UNIT_NONE)
                : value_missing("the kernel does not tell how many slots this CPU has", UNIT_NONE);
        break;
    case SLOT_BUSY:
        slot->exists = host; /* for another target, the next alternative gives the reason */
        slot->value = host ? s->total.busy : value_missing("only for the whole host", UNIT_PERCENT);
        break;
    case SLOT_TASK:
        c = host ? NULL : snapshot_counter(s, "software", "task-clock");
        slot->value = c ? c->delta : value_missing("task-clock is not counted here", UNIT_SECONDS);
        if (host)
            slot->value = value_missing("cycles of idle time cannot be told apart without "
                                        "ref-cycles and the msr PMU",
                                        UNIT_SECONDS);
        break;
    default:
        break;
    }
}

/* What is known about the operands of a formula before the arithmetic: the state of the worst
 * one. */
struct operands {
    struct value worst; /* the worst validity with its reason, share of time counted, and flags */
    bool exist, percpu;
    int group; /* group of the first operand that was not counted all the time */
};

static void merge_worst(struct value *worst, const struct value *v)
{
    if (v->validity == VALUE_MISSING && worst->validity != VALUE_MISSING) {
        worst->validity = VALUE_MISSING;
        worst->why = v->why;
    } else if (v->validity == VALUE_PENDING && worst->validity == VALUE_OK) {
        worst->validity = VALUE_PENDING;
        worst->why = v->why;
    }
    if (v->validity == VALUE_OK && v->running < worst->running)
        worst->running = v->running;
    worst->flags |= v->flags;
}

static struct operands gather_operands(const struct metric_set *m, const struct formula *f)
{
    size_t n, dims = 0;
    const int *slots = formula_slots(f, &n);
    struct operands o = {.worst = {.running = 1, .validity = VALUE_OK}, .exist = true};
    const struct metric_slot *first = NULL;
    bool mixed = false;
    o.percpu = true;
    for (size_t i = 0; i < n; i++) {
        const struct metric_slot *s = &m->slots[slots[i]];
        merge_worst(&o.worst, &s->value);
        o.exist = o.exist && s->exists;
        if (s->kind == SLOT_INTERVAL || s->kind == SLOT_NCPUS || s->kind == SLOT_WIDTH)
            continue;
        if (s->kind == SLOT_BUSY ? s->value.validity == VALUE_MISSING : !s->percpu)
            o.percpu = false;
        dims++;
        if (!first && s->value.running < 1)
            first = s;
    }
    /* operands that were counted only part of the time were counted at the same times only if they
     * are of one group */
    for (size_t i = 0; first && i < n; i++) {
        const struct metric_slot *s = &m->slots[slots[i]];
        bool counted = s->kind == SLOT_COUNTER || s->kind == SLOT_METRIC;
        if (counted && s != first && (s->group != first->group || s->group < 0))
            mixed = true;
    }
    o.group = first ? first->group : -1;
    if (mixed)
        o.worst.flags |= VALUE_CROSS_GROUP;
    if (o.worst.running < VALUE_SHARE_LEAST)
        o.worst.flags |= VALUE_LOW_CONFIDENCE;
    o.percpu = o.percpu && dims > 0;
    return o;
}

/* Computes the number when every operand has one. Copies `why`, because a formula may be freed
 * before the snapshot. */
static struct value compute_metric_value(const struct metric_set *m, const struct metric_row *r,
                                         struct value worst, struct snapshot *s,
                                         const char *copied[2])
{
    double x;
    const char *why = NULL;
    if (worst.validity != VALUE_OK) {
        worst.unit = (uint8_t)r->def.unit;
        worst.v = 0;
        worst.why = worst.why ? worst.why : "not measured";
        return worst;
    }
    if (formula_evaluate(r->formula, m->work->values, &x, &why)) {
        if (copied[0] != why) {
            copied[0] = why;
            copied[1] = snapshot_strdup(s, why);
        }
        return value_missing(copied[1], r->def.unit);
    }
    struct value v = value_ok(x, r->def.unit);
    v.running = worst.running;
    v.flags = worst.flags;
    return v;
}

static void load_values(const struct metric_set *m, const int *slots, size_t n, int cpu,
                        const struct snapshot *s, struct value *worst)
{
    for (size_t i = 0; i < n; i++) {
        const struct metric_slot *o = &m->slots[slots[i]];
        const struct value *v = &o->value;
        if (cpu >= 0 && o->percpu)
            v = &o->percpu[cpu];
        else if (cpu >= 0 && o->kind == SLOT_BUSY)
            v = &s->cpus[cpu].busy;
        m->work->values[slots[i]] = cpu >= 0 && o->kind == SLOT_NCPUS ? 1 : v->v;
        if (cpu >= 0)
            merge_worst(worst, v);
    }
}

static void evaluate_row(const struct metric_set *m, const struct metric_row *r, struct snapshot *s,
                         struct metric *out, struct metric_slot *as)
{
    size_t n;
    const int *slots = formula_slots(r->formula, &n);
    struct operands o = gather_operands(m, r->formula);
    const char *copied[2] = {NULL, NULL};
    as->exists = o.exist;
    as->group = o.group;
    load_values(m, slots, n, -1, s, NULL);
    out->value = compute_metric_value(m, r, o.worst, s, copied);
    out->percpu = NULL;
    int ncpus = s->host ? s->host->ncpus : 0;
    if (!o.percpu || ncpus <= 0 || ncpus > CPUS_MAX)
        return;
    out->percpu = snapshot_alloc(s, (size_t)ncpus * sizeof *out->percpu);
    for (int cpu = 0; cpu < ncpus; cpu++) {
        struct value worst = {
            .running = 1, .validity = VALUE_OK, .flags = o.worst.flags & VALUE_CROSS_GROUP};
        load_values(m, slots, n, cpu, s, &worst);
        out->percpu[cpu] = compute_metric_value(m, r, worst, s, copied);
    }
}

/* A definition that lives as long as the snapshot. The user's tables may be freed earlier, so
 * theirs are copied. */
static const struct metric_def *lasting_def(const struct metric_row *r, struct snapshot *s)
{
    if (r->table)
        return r->table;
    struct metric_def *d = snapshot_alloc(s, sizeof *d);
    *d = r->def;
    const char **strings[] = {&d->id,   &d->label, &d->set,       &d->formula,
                              &d->cpus, &d->what,  &d->reference, &d->parent};
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        if (*strings[i])
            *strings[i] = snapshot_strdup(s, *strings[i]);
    return d;
}

/* Ranks alternatives: a number, then a pending number, then one that is missing for a reason, then
 * one whose event does not exist. */
static int rank_metric_value(const struct value *v, bool exists)
{
    if (v->validity == VALUE_OK)
        return 3;
    return v->validity == VALUE_PENDING ? 2 : exists;
}

/* Evaluates the alternatives of a metric and takes the best; of equal ones, the first. */
static void evaluate_metric(const struct metric_set *m, size_t head, struct snapshot *s,
                            struct metric *out, size_t *chosen, struct metric_slot *as)
{
    int best = -1;
    for (size_t i = head; best < 3; i = m->rows[i].next) {
        struct metric this = {0};
        struct metric_slot slot = {.group = -1};
        evaluate_row(m, &m->rows[i], s, &this, &slot);
        if (rank_metric_value(&this.value, slot.exists) > best) {
            best = rank_metric_value(&this.value, slot.exists);
            *out = this;
            *chosen = i;
            as->exists = slot.exists;
            as->group = slot.group;
        }
        if (!m->rows[i].next)
            return;
    }
}

void metric_evaluate(const struct metric_set *m, struct snapshot *s)
{
    for (size_t i = 0; i < m->nslots; i++) {
        if (m->slots[i].kind == SLOT_COUNTER)
            load_counter(m, &m->slots[i], s);
        else if (m->slots[i].kind != SLOT_METRIC)
            load_builtin(m, &m->slots[i], s);
    }
    struct metric *by_row = snapshot_alloc(s, (m->nrows + 1) * sizeof *by_row);
    for (size_t i = 0; i < m->norder; i++) {
        size_t head = m->order[i], chosen;
        const struct metric_row *r = &m->rows[head];
        struct metric_slot unread = {.group = -1},
                           *as = r->slot == NO_SLOT ? &unread : &m->slots[r->slot];
        struct metric *out = &by_row[head];
        evaluate_metric(m, head, s, out, &chosen, as);
        as->value = out->value;
        as->percpu = out->percpu;
        if (*r->def.label && (as->exists || !r->def.optional))
            out->def = lasting_def(&m->rows[chosen], s);
    }
    s->metrics = snapshot_alloc(s, (m->nrows + 1) * sizeof *s->metrics);
    s->nmetrics = 0;
    for (size_t i = 0; i < m->nrows; i++)
        if (by_row[i].def)
            s->metrics[s->nmetrics++] = by_row[i];
}
