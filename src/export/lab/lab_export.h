/* The lab's report as documents. `what` is a struct lab_report, for output_made. */
#ifndef ROOFTOP_EXPORT_LAB_LAB_EXPORT_H
#define ROOFTOP_EXPORT_LAB_LAB_EXPORT_H

#include <stdio.h>

void lab_export_text(FILE *out, const void *what);
void lab_export_json(FILE *out, const void *what);
void lab_export_csv(FILE *out, const void *what);

#endif
