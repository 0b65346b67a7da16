/*
 * Says what limits a kernel, or a whole profile. The rules test facts; bottleneck_table.c has them,
 * with thresholds and sources. The first rule whose evidence is complete gives the label, so equal
 * facts give equal labels. An unknown fact is no evidence, neither for nor against a rule.
 */
#ifndef ROOFTOP_ENGINE_KERNELS_BOTTLENECK_H
#define ROOFTOP_ENGINE_KERNELS_BOTTLENECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/value/value.h"

enum bottleneck_label {
    LABEL_NONE,      /* no label, such as for a copy that is not on the path */
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
    LABEL_WAVES, /* too few to fill the device */
    LABEL_PEER,  /* a collective that waited for late peers */
    LABEL_COMMUNICATION,
    LABEL_HIDDEN, /* a collective that runs at the same time as kernels */
    LABEL_DEVICE, /* of a profile: the device is busy, so look at its kernels */
    LABELS
};

enum bottleneck_confidence { CONFIDENCE_NONE, CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/* Of a kernel (a call of it), a copy, or the profile; shares are 0..1. NaN = not known. */
enum fact {
    /* from times */
    FACT_MEAN,        /* s of a call */
    FACT_GAP,         /* queue empty before it, of that and its own time */
    FACT_LATE,        /* the same until the call that launched it began */
    FACT_LAUNCH,      /* the same from then on to its start */
    FACT_CRITICALITY, /* share of the critical path */
    /* from shapes and resources */
    FACT_UNITS,     /* compute units that get a workgroup, of all */
    FACT_FILL,      /* waves of a dispatch, of those that the device has room for; 1 at most */
    FACT_OCCUPANCY, /* waves that fit, of the slots */
    FACT_BY_VGPRS,  /* 1: registers are what limits it, 0: not */
    FACT_BY_LDS,
    /* from counters */
    FACT_RIDGE,       /* operational intensity, of the one where both roofs meet */
    FACT_FLOPS,       /* FLOP/s, of the peak */
    FACT_BYTES,       /* bytes/s of device memory, of the peak */
    FACT_STALL,       /* waiting, of the cycles of its waves */
    FACT_MEM_LATENCY, /* cycles of an access to memory */
    FACT_VALU,        /* of its instructions, with MFMA */
    FACT_VMEM,
    FACT_SALU,
    FACT_BRANCH,
    /* of collectives */
    FACT_EXPOSED, /* no kernel computes beside it, of its time */
    FACT_PEER,    /* longer than the fastest call of the same size, of its time */
    /* of a profile */
    FACT_IDLE,        /* no device at work, of the time from the first to the last */
    FACT_COPY_ALONE,  /* nothing but copies, of the same */
    FACT_COMM_ALONE,  /* nothing but collectives, of the same */
    FACT_SHORT,       /* dispatches of less than bottleneck_short, of all */
    FACT_PATH_COPY,   /* of the critical path */
    FACT_PATH_LAUNCH, /* launch latency, of the same */
    FACT_PATH_HOST,   /* the host, also where nothing was recorded, of the same */
    FACTS
};
struct facts {
    double v[FACTS];
};

enum bottleneck_scope { SCOPE_KERNEL, SCOPE_COPY, SCOPE_PROFILE, SCOPE_COLLECTIVE, SCOPES };

struct bottleneck_term {
    enum fact fact;
    bool below;   /* true: at most the limit; false: at least */
    bool support; /* may be unknown, but must hold if known */
    double limit;
};
enum { BOTTLENECK_TERMS = 4 };
struct bottleneck_rule {
    enum bottleneck_scope scope;
    enum bottleneck_label label;
    struct bottleneck_term terms[BOTTLENECK_TERMS];
    uint8_t nterms;
    uint8_t best, bare; /* confidence with all evidence; without the support */
    const char *source; /* of its thresholds */
};
extern const struct bottleneck_rule bottleneck_rules[]; /* terminated by source == NULL */

/* A label and why. */
struct bottleneck {
    enum bottleneck_label label;
    enum bottleneck_confidence confidence;
    const struct bottleneck_rule *rule; /* NULL for LABEL_NONE */
    uint32_t also; /* bits 1 << label: labels of further rules that do not contradict this one */
};

/* A dispatch shorter than this is short, s. */
extern const double bottleneck_short;

void facts_unknown(struct facts *f); /* all of them NaN */
/* Whether two labels exclude each other; for example, what waits for the host is not device-bound.
 */
bool bottleneck_contradict(enum bottleneck_label a, enum bottleneck_label b);
struct bottleneck bottleneck_find(enum bottleneck_scope scope, const struct facts *f);

const char *bottleneck_name(enum bottleneck_label l);   /* "Memory bandwidth bound" */
const char *bottleneck_id(enum bottleneck_label l);     /* "memory-bandwidth" */
const char *bottleneck_letter(enum bottleneck_label l); /* "B", for narrow columns */
const char *bottleneck_advice(enum bottleneck_label l); /* what to look at; "" none */
const char *confidence_name(enum bottleneck_confidence c);
const char *fact_id(enum fact f);   /* "stall" */
const char *fact_name(enum fact f); /* a clause for people: "waves wait" */
enum unit fact_unit(enum fact f);   /* shares: UNIT_PERCENT, times 100 to be shown */
/* "queue empty before it: 62 % (at least 50 %)"; for a support that is not known "… not known".
 * Returns out. */
const char *bottleneck_term_text(const struct bottleneck_term *t, const struct facts *f, bool ascii,
                                 char *out, size_t size);

#endif
