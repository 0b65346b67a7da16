/* `rooftop doctor`: every capability, whether it is available, why not, and what would enable
 * it. */
#ifndef ROOFTOP_CLI_DOCTOR_H
#define ROOFTOP_CLI_DOCTOR_H

#include "cli/options/options.h"
#include "engine/live/source.h"

struct finding {
    const char *source;
    struct capability capability; /* its strings belong to the report */
};
struct report {
    struct finding *findings;
    size_t n, cap;
    struct arena arena;
};
/* Probes every source of the table (NULL-terminated). Free with doctor_free. */
void doctor_probe(struct report *r, const struct source_ops *const *sources);
void doctor_free(struct report *r);
/* The report as text, or as JSON (schema "rooftop.doctor/1"). The caller frees it with free().
 * width: the column at which text is folded. */
char *doctor_text(const struct report *r, bool ascii, bool color);
char *doctor_json(const struct report *r);

#endif
