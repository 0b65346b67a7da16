/*
 * Budgets of a run of programs: what a file of assertions (renacer.toml) demands, and whether a run
 * kept to it. docs/BUDGETS.md has every type and field, and what each measures.
 */
#pragma once

#include "base/error.h"
#include "engine/antipatterns/antipatterns.h"
#include "engine/facts/facts.h"

/* One demand of the file. Fields that its kind does not use are 0 or NULL. */
struct budget {
    const struct budget_kind *kind;
    char *name, *description;
    int line;           /* in the file */
    bool warns;         /* fail_on_violation = false: a violation is reported but does not fail */
    bool disabled;      /* enabled = false */
    double most, least; /* limits, in the unit of the kind; NAN: none */
    double threshold;   /* of an anti-pattern: confidence */
    double percentile;  /* of latency */
    char *names;        /* calls, separated by spaces; NULL: all */
    char *pattern;      /* extended regular expression for names of calls, processes or paths */
    void *regex;        /* the compiled pattern: regex_t */
    char *choice;       /* tracking_mode, direction */
    char *expression;   /* of custom */
    char *severity;     /* "error", "warning": of a rule in [anti_patterns]; else NULL */
    bool of_program;    /* from [performance.budgets] */
    char *applies_to;   /* names of programs with * and ?, separated by newlines; NULL: all */
    const struct antipattern_rule *rule;
};

struct budget_file {
    char *path;
    struct budget *list;
    size_t n, cap;
    char *golden_folder; /* of the golden traces; NULL: the usual one */
    char **notes;        /* messages about tables that have no effect */
    size_t nnotes, notes_cap;
};

/* 0, or -errno with err: ERROR_INPUT and "FILE:LINE:COLUMN" in what. */
int budget_file_load(struct budget_file *out, const char *path, struct error *err);
/* As budget_file_load(), from a text; path is for messages only. */
int budget_file_parse(struct budget_file *out, const char *path, const char *text, size_t len,
                      struct error *err);
void budget_file_free(struct budget_file *f);

struct golden; /* engine/golden */

/* A run to be judged. */
struct budget_run {
    const struct run_facts *facts;    /* finished */
    const char *program;              /* name of the command without folders */
    const struct transfer_facts *gpu; /* NULL: no profile of a GPU */
    uint64_t wall_ns;                 /* 0: not known */
    const uint64_t *walls_ns;         /* the same of each run if there were several */
    size_t nwalls;
    const struct golden *golden; /* the golden trace of its program; NULL: none */
    int status;                  /* as wait(2) gives it */
    bool ended;                  /* a command ran and ended: status is valid */
};

enum budget_state {
    BUDGET_KEPT,
    BUDGET_VIOLATED,
    BUDGET_WARNED,    /* violated, and fail_on_violation is false */
    BUDGET_UNKNOWN,   /* could not be measured: why. Counts as violated unless it only warns */
    BUDGET_NOT_MEANT, /* applies_to does not name this program */
    BUDGET_DISABLED,
    BUDGET_NO_GOLDEN, /* there is no golden trace to compare with: why */
    BUDGET_STATES
};

struct budget_verdict {
    const struct budget *budget;
    enum budget_state state;
    double measured, limit; /* in the kind's unit */
    uint8_t unit;           /* enum unit */
    bool too_little;        /* the limit is a minimum */
    bool unsure;            /* it is above the limit, but perhaps by chance: counts as kept */
    char where[512];        /* the process, call or file with the largest part; may be "" */
    char why[192];          /* of BUDGET_UNKNOWN, BUDGET_NO_GOLDEN */
    const char *help;       /* what to do */
};

/*
 * Judges all budgets, and the command's exit status if no budget of the file is about it. Writes at
 * most f->n + 1 verdicts to out; returns their number. failed: whether one of them fails the run.
 */
size_t budget_judge_all(const struct budget_file *f, const struct budget_run *run,
                        struct budget_verdict *out, bool *failed);
bool budget_needs_golden(const struct budget *b);   /* it compares with the golden trace */
const char *budget_state_name(enum budget_state s); /* "kept", "violated", … */

const char *budget_name_of(const struct budget_kind *kind);
