/* Results of benchmarks as documents; docs/BENCH.md describes them. */
#pragma once

#include <stdio.h>

#include "engine/bench/results.h"

void bench_write_text(FILE *out, const struct bench *b, bool ascii);
void bench_write_json(FILE *out, const struct bench *b); /* rooftop.bench/1 */
extern const struct fields bench_run_record;
void bench_write_csv(FILE *out, const struct bench *b); /* a row for each run */
/* In the format of another tool: "hyperfine", "google-benchmark", "pytest-benchmark", "criterion".
 */
void bench_write_as(FILE *out, const struct bench_results *r, const char *tool);
