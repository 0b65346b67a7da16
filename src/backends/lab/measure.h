/* Runs in the process that measures, which engine/lab/lab_child.h starts and reads. */
#pragma once

#include <stdio.h>

/* Measures every workload on both paths, in about 3 s, and writes a line for each to `out` as it is
 * done. templates: the name of the target to compile for; NULL: the fastest one. */
void lab_measure(FILE *out, const char *templates);
