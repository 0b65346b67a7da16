/*
 * Derived metrics: rows of tables, evaluated over the counters of a snapshot.
 *
 * A formula is arithmetic (engine/value/formula.h) over
 *   name             the scaled count, over the interval, of that event of the metric's own set
 *   set.name         of another set; 'branch-misses' and 'software.task-clock' need the quotes
 *   id               another metric; it must not lead back here
 *   interval         seconds the snapshot covers
 *   ncpus            CPUs it covers; 1 where the metric is evaluated for one CPU
 *   task_seconds     CPU time of the watched tasks; missing when the whole host is watched
 *   busy             % of the time not idle, from the kernel's ticks; missing unless the host is
 * watched slots_per_cycle  issue width, from the "_slotsN" at the end of the architecture's key
 *
 * `a / b` is missing ("no b in this interval") where b is 0. A missing operand makes the result
 * missing, with that operand's reason. The flags and the share of time counted are those of the
 * worst operand; operands of different groups that were not counted all the time, and so not at the
 * same time, make it VALUE_CROSS_GROUP.
 *
 * Several rows may have one id: for different CPUs, or as alternatives, of which the first that can
 * be evaluated counts. A row with an empty label is a step for other rows and is not shown.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "engine/live/snapshot.h"
#include "engine/value/value.h"

enum metric_group {                  /* sections of the counters view, in order */
                    METRIC_PIPELINE, /* IPC, GHz, uops */
                    METRIC_TOPDOWN,  /* slots */
                    METRIC_BRANCH,
                    METRIC_CACHE,
                    METRIC_TLB,
                    METRIC_COMPUTE, /* FLOP/s, operational intensity */
                    METRIC_MEMORY,  /* DRAM bytes/s */
                    METRIC_POWER,
                    METRIC_SOFTWARE, /* utilisation, faults, switches, migrations */
                    METRIC_USER,     /* from the user's file */
                    METRIC_PORTS, /* what fills the pipes of the core; labels begin with D, S, C */
                    METRIC_GROUP_COUNT
};

struct metric_def {
    const char *id;      /* "ipc" */
    const char *label;   /* "IPC": 18 cells at most */
    const char *set;     /* which event set it is computed in */
    const char *formula; /* "instructions / cycles" */
    enum unit unit;
    enum metric_group group;
    const char *cpus; /* keys of the CPUs it is for, separated by blanks ("zen4 zen5"), or "any" */
    const char *what; /* one sentence: what it tells, and how to read it */
    const char *reference; /* source of the formula: manual, file, paper */
    const char *parent; /* top-down: id of the parent node; NULL = a root, or not part of a tree */
    int level;          /* top-down level 1, 2; 0 otherwise */
    double warn_above;  /* the value is marked when it is above this; 0 = never */
    bool optional;      /* where an event it needs does not exist, the metric is left out instead of
                           shown as "n/a" */
};

struct user_tables; /* engine/live/user_tables.h */
struct metric_set;  /* formulas compiled for one CPU, by metric_compile */

/*
 * Compiles the built-in table rows for arch plus the user's. arch is host->pmu_arch ("zen4",
 * "generic", "none"). On a bad formula: -EINVAL and err names the metric and the column.
 */
int metric_compile(struct metric_set **out, const char *arch, const struct user_tables *user,
                   struct error *err);
/* Evaluates all metrics of the set from the counters of s and fills s->metrics. A metric gets a
 * value for each CPU (percpu) if every operand has one. */
void metric_evaluate(const struct metric_set *set, struct snapshot *s);
void metric_free(struct metric_set *set);
const char *metric_group_title(enum metric_group g);
/* Whether formulas have the name for a value that is no event and no metric: "interval". */
bool metric_is_word(const char *name);

/* The built-in rows, terminated by id == NULL: made from metrics.toml by the build. */
extern const struct metric_def metric_table[];
