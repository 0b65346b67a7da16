/* `rooftop doctor`: every capability, whether it is available, why not, and what would enable
 * it. */
#pragma once

#include "engine/live/source.h"

struct doctor_finding {
    const char *source;
    struct probe_finding found; /* its strings belong to the report */
};
struct doctor_report {
    struct doctor_finding *findings;
    size_t n, cap;
    struct arena arena;
};
/* Probes every source of the table (NULL-terminated). Free with doctor_free. */
void doctor_probe(struct doctor_report *r, const struct source_ops *const *sources);
void doctor_free(struct doctor_report *r);
/* The report as text, or as JSON (schema "rooftop.doctor/1"). The caller frees it with free().
 * width: the column at which text is folded. */
char *doctor_text(const struct doctor_report *r, bool ascii, bool color);
char *doctor_json(const struct doctor_report *r);
