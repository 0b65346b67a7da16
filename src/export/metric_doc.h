/* The table of built-in metrics as a document. */
#pragma once

#include <stdio.h>

/* Writes docs/METRICS.md's table of all built-in metrics, as Markdown. 0 or -errno of the write. */
int metric_document(FILE *out);
