/* The lab's report as documents. `what` is a struct lab_report, for output_made. */
#pragma once

#include <stdio.h>

void lab_export_text(FILE *out, const void *what);
void lab_export_json(FILE *out, const void *what);
void lab_export_csv(FILE *out, const void *what);
