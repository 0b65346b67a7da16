/* Results of benchmarks as documents; docs/BENCH.md describes them. */
#pragma once

#include <stdio.h>

#include "engine/bench/results.h"
#include "export/brief.h"

void bench_write_text(FILE *out, const struct bench *b, bool ascii);
/* One line for a measurement that still runs: what each side has, the ratio, whether it is decided,
 * and the time left, s. */
void bench_line(char *out, size_t size, const struct bench *b, double left, bool ascii);
void bench_write_json(FILE *out, const struct bench *b); /* rooftop.bench/1 */
void bench_brief(struct brief *b, const struct bench *k, bool ascii);
/* For a measurement of two commands: an annotation of GitHub Actions that says which is faster. */
void bench_annotate(FILE *out, const struct bench *k, bool fails);
extern const struct fields bench_run_record;
void bench_write_csv(FILE *out, const struct bench *b); /* a row for each run */
/* Medians, and of two commands the second's time by the first's, with the ends of their intervals.
 */
void bench_write_openmetrics(FILE *out, const struct bench *b);
/* In the format of another tool: "hyperfine", "google-benchmark", "pytest-benchmark", "criterion".
 */
void bench_write_as(FILE *out, const struct bench_results *r, const char *tool);
