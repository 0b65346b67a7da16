/* The table of kernels as a document; docs/KERNELS.md. */
#pragma once

#include <stdio.h>

#include <cjson/cJSON.h>

#include "engine/kernels/kernels.h"

/* rows: n indices into table, as from kernels_list; these rows are written, in this order. */
void kernels_export_text(FILE *out, const struct kernel_table *table, const uint32_t *rows,
                         uint32_t n, bool ascii);
void kernels_export_csv(FILE *out, const struct kernel_table *table, const uint32_t *rows,
                        uint32_t n);
/* Schema "rooftop.kernels/1": docs/KERNELS.md. t, from which k was made, may be NULL. */
void kernels_export_json(FILE *out, const struct trace *t, const struct kernels *k,
                         enum kernels_group group, const uint32_t *rows, uint32_t n);

/* A picture: where the time went, and below it at most 1000 rows, with the number of those left
 * out. */
void kernels_export_svg(FILE *out, const struct kernels *k, const struct kernel_table *table,
                        const uint32_t *rows, uint32_t n);

/* { label, confidence, evidence, also }; null for LABEL_NONE. The caller owns it. */
cJSON *kernels_json_label(const struct bottleneck *b, const struct facts *f);
cJSON *kernels_json_row(const struct kernel_row *r);
/* A row's name for text documents, in at most KERNELS_NAME_CELLS cells. Returns out. */
enum { KERNELS_NAME_CELLS = 96, KERNELS_NAME_BYTES = 512 };
const char *kernels_name(const struct kernel_table *table, const struct kernel_row *r, bool ascii,
                         char out[KERNELS_NAME_BYTES]);
