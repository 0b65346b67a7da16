/*
 * Habits that cost time: rules over the facts of a run of programs. antipattern_table.c has the
 * rules, each with its evidence, marks, remedy and source.
 */
#pragma once

#include "engine/facts/facts.h"
#include "engine/value/value.h"

/* Confidence from which on a finding is reported where a file of budgets does not say: the seed's.
 */
#define ANTIPATTERN_THRESHOLD 0.7

/* Time that a GPU's work took, from system calls or from a profile of the GPU. In ns. */
struct transfer_facts {
    uint64_t transfer_ns, compute_ns;
    /* Whether the profile's own bottleneck is its copies (engine/kernels/bottleneck_table.c). The
     * pattern agrees with it: it reaches the usual threshold then, and only then. */
    bool copy_bound;
};

struct antipattern_finding {
    const struct antipattern_rule *rule;
    double measure;     /* in the rule's unit; 0: nothing of the kind was seen */
    double confidence;  /* 0..1 */
    int32_t pid;        /* the process that it is about; 0: the whole run */
    char subject[160];  /* the process, file or call, as it came: not safe to print raw */
    char evidence[512]; /* what was found, with numbers; may contain the subject's name */
};

struct antipattern_rule {
    const char *id;      /* "one_byte_reads": in JSON and in files of budgets */
    const char *aliases; /* other spellings that are accepted, separated by spaces */
    const char *title;   /* "Reads of one byte" */
    const char *counts;  /* what the measure is: "reads of one byte from one descriptor" */
    uint8_t unit;        /* enum unit */
    bool counted;        /* confidence grows with the logarithm of the measure */
    bool timed;          /* it needs the times of calls */
    double low, high;    /* the measure at confidence 0.5, and at 1 */
    const char *remedy;
    const char *source; /* of the marks */
    /* Fills measure, subject and evidence; leaves measure 0 where the pattern is not there. */
    void (*look)(const struct run_facts *f, struct antipattern_finding *out);
};

extern const struct antipattern_rule antipattern_table[];
extern const size_t antipattern_count;

/* Finds a rule by id or alias, ignoring case, '-' and '_'. NULL: unknown. */
const struct antipattern_rule *antipattern_find(const char *name);
/* The confidence that a measure gives; 0 below the rule's low mark. */
double antipattern_confidence(const struct antipattern_rule *rule, double measure);
/* Applies one rule. */
void antipattern_look(const struct antipattern_rule *rule, const struct run_facts *f,
                      struct antipattern_finding *out);
/* Whether a GPU profile tells more about the rule than calls do: "pcie". */
bool antipattern_of_transfers(const struct antipattern_rule *rule);
/* As antipattern_look for that rule, from times that a GPU profile gives. */
void antipattern_transfers(const struct transfer_facts *t, struct antipattern_finding *out);
/* All findings of at least this confidence, surest first. Returns their number; out has room for
 * antipattern_count. */
size_t antipattern_all(const struct run_facts *f, double threshold,
                       struct antipattern_finding *out);
