/* A thread trace as a document: docs/PROFILES.md. */
#pragma once

#include <stdio.h>

#include "engine/att/att_analysis.h"
#include "export/brief.h"

/* Text for people: where the cycles are, then what waves did. */
void att_export_text(FILE *out, const struct att *a, bool ascii);
/* The short answer of one dispatch; of several, the first one given makes the verdict, and the
 * others are evidence. */
void att_brief(struct brief *b, const struct att *a);
/* CSV: one row for each instruction, the hottest first. The head is written once, before the
 * traces. */
void att_export_csv_head(FILE *out);
void att_export_csv(FILE *out, const struct att *a);
/* One element of "dispatches" in a document of schema "rooftop.att/1". */
void att_export_json(FILE *out, const struct att *a);
