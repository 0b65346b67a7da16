/* The lab's report as documents. `what` is a struct lab_report, for output_made. */
#pragma once

#include <stdio.h>

struct brief;
struct lab_report;
void lab_brief(struct brief *b, const struct lab_report *r);
void lab_export_text(FILE *out, const void *what);
void lab_export_json(FILE *out, const void *what);
void lab_export_csv(FILE *out, const void *what);
