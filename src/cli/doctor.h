/* `rooftop doctor`: every capability, there or not, why, and what would enable it. */
#ifndef ROOFTOP_CLI_DOCTOR_H
#define ROOFTOP_CLI_DOCTOR_H

#include "cli/options/options.h"
#include "engine/live/source.h"

struct finding {
    const char *source;
    struct capability capability; /* its strings live in the report */
};
struct report {
    struct finding *findings;
    size_t n, cap;
    struct arena arena;
};
/* Probes every source of the table (NULL-terminated). Free with doctor_free. */
void doctor_probe(struct report *r, const struct source_ops *const *sources);
void doctor_free(struct report *r);
/* The report as text or JSON (schema "rooftop.doctor/1"), malloc'ed. width: columns to fold at. */
char *doctor_text(const struct report *r, bool ascii, bool color);
char *doctor_json(const struct report *r);

#endif
