/*
 * Derived metrics: rows of tables, evaluated over the counters of a snapshot.
 *
 * A formula is arithmetic over counter names of the metric's own set (so that operands were counted
 * together), other metrics of the same set, numbers, and these functions and names:
 *   + - * / ( )   min(a,b) max(a,b)   interval (seconds)   ncpus
 * A name alone means its scaled count over the interval. `a / b` is missing ("no b in this interval")
 * where b is 0. A missing operand makes the result missing, with that operand's reason.
 */
#ifndef ROOFTOP_ENGINE_METRIC_H
#define ROOFTOP_ENGINE_METRIC_H

#include "base/error.h"
#include "engine/snapshot.h"
#include "engine/value.h"

enum metric_group { /* sections of the counters view, in order */
    METRIC_PIPELINE,  /* IPC, GHz, uops */
    METRIC_TOPDOWN,   /* slots */
    METRIC_BRANCH,
    METRIC_CACHE,
    METRIC_TLB,
    METRIC_COMPUTE,   /* FLOP/s, operational intensity */
    METRIC_MEMORY,    /* DRAM bytes/s */
    METRIC_POWER,
    METRIC_SOFTWARE,  /* utilisation, faults, switches, migrations */
    METRIC_USER,      /* from the user's file */
    METRIC_GROUP_COUNT
};

struct metric_def {
    const char *id;       /* "ipc" */
    const char *label;    /* "IPC": 18 cells at most */
    const char *set;      /* which event set it is computed in */
    const char *formula;  /* "instructions / cycles" */
    enum unit unit;
    enum metric_group group;
    const char *cpus;     /* which CPUs: arch keys separated by spaces ("zen4 zen5"), "any" */
    const char *what;     /* one sentence: what it tells, and how to read it */
    const char *reference; /* source of the formula: manual, file, paper */
    const char *parent;   /* top-down: id of the parent node, NULL = root or not a tree */
    int level;            /* top-down level 1, 2; 0 otherwise */
    double warn_above;    /* mark when above; 0 = never */
};

struct user_tables; /* engine/user_tables.h */
struct metric_set; /* compiled formulas for one CPU: see metric_compile */

/*
 * Compiles the built-in table rows for arch plus the user's. arch is host->pmu_arch ("zen4",
 * "generic", "none"). On a bad formula: -EINVAL and err names the metric and the column.
 */
int metric_compile(struct metric_set **out, const char *arch, const struct user_tables *user,
                   struct error *err);
/* Fills s->metrics (and percpu where every operand has it). */
void metric_evaluate(const struct metric_set *set, struct snapshot *s);
void metric_free(struct metric_set *set);
const char *metric_group_title(enum metric_group g);

/* The built-in rows, terminated by id == NULL; tests and the manual walk it. */
extern const struct metric_def metric_table[];

#endif
