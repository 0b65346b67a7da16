/* What rooftop bench and rooftop history share. */
#ifndef ROOFTOP_CLI_BENCH_H
#define ROOFTOP_CLI_BENCH_H

#include "base/error.h"

/* Parses "1%" or "1" as 0.01, above 0 and below 100 %. text NULL: fallback. */
int bench_percent(const char *option, const char *text, double fallback, double *out,
                  struct error *err);

#endif
