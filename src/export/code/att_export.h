/* A thread trace as a document: docs/PROFILES.md. */
#pragma once

#include <stdio.h>

#include "engine/att/att_analysis.h"

/* Text for people: where the cycles are, then what waves did. */
void att_export_text(FILE *out, const struct att *a, bool ascii);
/* CSV: one row for each instruction, the hottest first. The head is written once, before the
 * traces. */
void att_export_csv_head(FILE *out);
void att_export_csv(FILE *out, const struct att *a);
/* One element of "dispatches" in a document of schema "rooftop.att/1". */
void att_export_json(FILE *out, const struct att *a);
