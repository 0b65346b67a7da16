/* The columns of the lab's table: one list for text and screen. */
#pragma once

#include "engine/lab/lab.h"

enum { LAB_CELL = 24 };

struct lab_column {
    const char *head, *key; /* "ops/cyc", "ops_per_cycle" */
    int width;
    size_t offset;      /* offset of a struct value in a row */
    const char *format; /* format of the number: "%.2f" */
};
extern const struct lab_column lab_columns[]; /* ends with head NULL */

/* The number in a cell, or "n/a". Returns out. */
const char *lab_cell(const struct lab_row *row, const struct lab_column *c, char out[LAB_CELL]);
const struct value *lab_value(const struct lab_row *row, const struct lab_column *c);
/* "3.69 GHz, calibrated", or "" before the first run. Returns out. */
const char *lab_clock_text(const struct lab_report *r, char out[LAB_CELL]);
/* One line for a gate: "PASS  balanced ops/cycle  2.71 (at least 2.5)", or "n/a ...: why". Returns
 * out. */
enum { LAB_LINE = 512 };
const char *lab_gate_text(const struct lab_gate_result *g, char out[LAB_LINE]);
/* A sentence with the prediction, the measurement and their gap for a row. Returns out. */
const char *lab_gap_text(const struct lab_row *row, char out[LAB_LINE]);
/* What explains the gap: the shares of the core's issue slots, or why they were not counted. */
const char *lab_topdown_text(const struct lab_row *row, char out[LAB_LINE]);
