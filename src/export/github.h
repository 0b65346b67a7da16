/* Annotations in the logs of GitHub Actions: lines that its runner shows beside the code. */
#pragma once

#include <stdio.h>

/* Writes "::error file=F,line=N,title=T::TEXT". level: "error", "warning" or "notice". file NULL:
 * no place is known; line 0: no line. */
void github_annotate(FILE *out, const char *level, const char *file, int line, const char *title,
                     const char *text);
