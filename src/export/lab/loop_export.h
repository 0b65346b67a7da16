/* A hot loop, its model and the counters beside them, as documents. `what` is a struct loop_report,
 * for output_made. */
#pragma once

#include <stdio.h>

struct fields;
struct hot_loop;
struct ports_report;

struct brief;

struct loop_report {
    const struct hot_loop *loop;
    const struct ports_report *counted; /* NULL: nothing was counted */
};

/* What limits the modelled loop: "port SPRPort05 (pipe D), busy for 2.00 cycles of an iteration".
 * Returns out. */
enum { LOOP_BOUND = 256 };
struct mca_model;
const char *loop_bound_text(const struct mca_model *m, char out[LOOP_BOUND]);

void loop_brief(struct brief *b, const struct loop_report *r);
void loop_export_text(FILE *out, const void *what);
void loop_export_json(FILE *out, const void *what);
void loop_export_csv(FILE *out, const void *what);
/* Members "model" and "no_model". */
extern const struct fields loop_model_record, loop_error_record;
