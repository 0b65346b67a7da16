/*
 * Says what limits a kernel, or a whole profile. The rules test facts; bottleneck_table.c has them,
 * with thresholds and sources. The first rule whose evidence is complete gives the label, so equal
 * facts give equal labels. An unknown fact is no evidence, neither for nor against a rule.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/value/value.h"

enum bottleneck_label {
    LABEL_NONE,      /* no label, as for a copy outside of the path */
    LABEL_LATENCY,   /* memory latency */
    LABEL_BANDWIDTH, /* memory bandwidth */
    LABEL_COMPUTE,
    LABEL_SCALAR,
    LABEL_BRANCH,
    LABEL_MIXED, /* no rule matched */
    LABEL_COPY,
    LABEL_LAUNCH,
    LABEL_HOST,
    LABEL_VGPR,
    LABEL_LDS,
    LABEL_WAVES, /* too few waves to fill the device */
    LABEL_PEER,  /* a collective that waited for late peers */
    LABEL_COMMUNICATION,
    LABEL_HIDDEN, /* a collective that runs at the same time as kernels */
    LABEL_DEVICE, /* of a profile: the device is busy, so look at its kernels */
    LABELS
};

enum bottleneck_confidence { CONFIDENCE_NONE, CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* What is known about one call of a kernel, about a copy, or about the whole profile. Shares are
 * 0..1; NaN = not known. */
enum fact {
    /* from times */
    FACT_MEAN,   /* seconds of a call */
    FACT_GAP,    /* time that the queue was empty before the call, as a share of that time and the
                    call's own */
    FACT_LATE,   /* time that the queue was empty until the launching call began, of the same sum */
    FACT_LAUNCH, /* time from that begin until the kernel started, of the same sum */
    FACT_CRITICALITY, /* share of the critical path that the call lies on */
    /* from launch shapes and resources */
    FACT_UNITS,     /* compute units that get a workgroup, as a share of all */
    FACT_FILL,      /* waves of a dispatch, as a share of those that fit on the device; at most 1 */
    FACT_OCCUPANCY, /* waves that fit on a SIMD, as a share of its slots */
    FACT_BY_VGPRS,  /* 1: registers limit occupancy; 0: something else does */
    FACT_BY_LDS,
    /* from counters */
    FACT_RIDGE,       /* operational intensity, as a share of that of the ridge point */
    FACT_FLOPS,       /* FLOP/s, as a share of the peak */
    FACT_BYTES,       /* bytes/s of device memory, as a share of the peak */
    FACT_STALL,       /* cycles in which waves waited, as a share of all cycles of the waves */
    FACT_MEM_LATENCY, /* mean cycles of a memory access */
    FACT_VALU,        /* vector instructions, MFMA included, as a share of all */
    FACT_VMEM,
    FACT_SALU,
    FACT_BRANCH,
    /* of collectives */
    FACT_EXPOSED, /* time in which no kernel computed, as a share of its own time */
    FACT_PEER, /* time beyond that of the fastest call of the same size, as a share of its own time
                */
    /* of a profile */
    FACT_IDLE, /* time in which no device worked, as a share of the time from the first work to the
                  last */
    FACT_COPY_ALONE,  /* time in which there were only copies, as a share of that time */
    FACT_COMM_ALONE,  /* time in which there were only collectives, as a share of that time */
    FACT_SHORT,       /* dispatches that are shorter than bottleneck_short, as a share of all */
    FACT_PATH_COPY,   /* copies, as a share of the critical path */
    FACT_PATH_LAUNCH, /* launch latency, as a share of the critical path */
    FACT_PATH_HOST,   /* the host, including time in which nothing was recorded, as a share of the
                         critical path */
    /* what twice the speed of a kind would save, as a share of the critical path; 0 if another kind
     * saves far more, so that no label contradicts the what-if analysis */
    FACT_SAVES_DEVICE,
    FACT_SAVES_COPY,
    FACT_SAVES_COMM,
    FACT_SAVES_HOST,
    FACTS
};
struct facts {
    double v[FACTS];
};

enum bottleneck_scope { SCOPE_KERNEL, SCOPE_COPY, SCOPE_PROFILE, SCOPE_COLLECTIVE, SCOPES };

struct bottleneck_term {
    enum fact fact;
    bool below;   /* true: at most the limit; false: at least */
    bool support; /* the fact may be unknown; if it is known, the term must hold */
    double limit;
};
enum { BOTTLENECK_TERMS = 4, BOTTLENECK_TEXT = 256 };
struct bottleneck_rule {
    enum bottleneck_scope scope;
    enum bottleneck_label label;
    struct bottleneck_term terms[BOTTLENECK_TERMS];
    uint8_t nterms;
    uint8_t best, bare; /* confidence with all evidence; and without the supporting terms */
    const char *source; /* where the thresholds come from */
};
extern const struct bottleneck_rule bottleneck_rules[]; /* terminated by source == NULL */

/* A label and the rule that gave it. */
struct bottleneck {
    enum bottleneck_label label;
    enum bottleneck_confidence confidence; /* of LABEL_MIXED: that no rule matches */
    const struct bottleneck_rule *rule;    /* NULL for LABEL_NONE */
    uint32_t also; /* labels of further rules that do not contradict this one, as bits 1 << label */
};

/* A dispatch shorter than this many seconds is called short. */
extern const double bottleneck_short;

void facts_unknown(struct facts *f); /* sets all facts to NaN */
/* Whether two labels exclude each other; for example, what waits for the host is not device-bound.
 */
bool bottleneck_contradict(enum bottleneck_label a, enum bottleneck_label b);
struct bottleneck bottleneck_find(enum bottleneck_scope scope, const struct facts *f);
bool bottleneck_term_holds(const struct bottleneck_term *t, double v); /* not for NaN */
/* How sure it is that no rule matches, where none does: low where a fact that is not known could
 * make one match, medium where one is missed by a fifth of its limit or less. */
enum bottleneck_confidence bottleneck_doubt(enum bottleneck_scope scope, const struct facts *f);

const char *bottleneck_name(enum bottleneck_label l);   /* "Memory bandwidth bound" */
const char *bottleneck_id(enum bottleneck_label l);     /* "memory-bandwidth" */
const char *bottleneck_letter(enum bottleneck_label l); /* "B", for narrow columns */
const char *bottleneck_advice(enum bottleneck_label l); /* what to look at next; "" = nothing */
const char *confidence_name(enum bottleneck_confidence c);
/* How sure a label is: "confidence high"; where no rule matches: whether one nearly does. "" where
 * it has no confidence. */
const char *bottleneck_sure(const struct bottleneck *b);
const char *fact_id(enum fact f);   /* "stall" */
const char *fact_name(enum fact f); /* a clause for people: "waves wait" */
enum unit fact_unit(enum fact f);   /* shares are UNIT_PERCENT: multiply by 100 to show them */
/* Writes the term for people: "queue empty before it: 62 % (at least 50 %)", or "… not known" for
 * a supporting term whose fact is unknown. Returns out. */
const char *bottleneck_term_text(const struct bottleneck_term *t, const struct facts *f, bool ascii,
                                 char *out, size_t size);
/* The number of a fact, and a threshold without the digits that only a measured number has. */
const char *bottleneck_fact_text(enum fact f, double v, bool ascii, char out[VALUE_TEXT_MAX]);
const char *bottleneck_limit_text(const struct bottleneck_term *t, bool ascii,
                                  char out[VALUE_TEXT_MAX]);
/* The lines of evidence of a label, as above; of LABEL_MIXED those of why_unclear. Returns how
 * many. */
size_t bottleneck_evidence(const struct bottleneck *b, const struct facts *f, bool ascii,
                           char out[BOTTLENECK_TERMS][BOTTLENECK_TEXT]);
/* Between which rules the facts lie, the nearest first: "no device at work: 35.0 % (rules: 20 % or
 * less is Device bound, 50 % or more is Host bound)". Returns how many lines; at least 1. */
size_t bottleneck_why_unclear(enum bottleneck_scope scope, const struct facts *f, bool ascii,
                              char out[BOTTLENECK_TERMS][BOTTLENECK_TEXT]);
