/* The table of built-in metrics as a document. */
#ifndef ROOFTOP_EXPORT_METRIC_DOC_H
#define ROOFTOP_EXPORT_METRIC_DOC_H

#include <stdio.h>

/* Writes docs/METRICS.md's table of all built-in metrics, as Markdown. 0 or -errno of the write. */
int metric_document(FILE *out);

#endif
