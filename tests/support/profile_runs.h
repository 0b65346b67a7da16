/* Runs rooftop gpu profile as a user does, with stand-ins for the profilers (fake_profilers). In
 * shell lines, BIN is rooftop, D is a folder that is removed at the end, PATH has the stand-in for
 * rocprofv3, $D/nvidia has that for nsys, and PLAIN_PATH has none. */
#pragma once

#include "engine/profiler/gpu_run.h"
#include "engine/trace/trace.h"
#include "support/program.h"

int runs_begin(void **state);
int runs_end(void **state);
/* Runs the line; expects this exit status. */
void runs_expect(struct program *p, const char *line, int status);
void runs_word(const char *text, const char *word);
/* Runs the line; expects this exit status, and the word on stderr. */
void runs_line(const char *line, int status, const char *word);
const char *runs_path(const char *name); /* a path in D; static */
void runs_read(struct gpu_run *r, const char *name);
/* Asserts that each dispatch has its own times, and the counter's value for the n-th dispatch of
 * its kernel in its queue. Dispatches of the kernel `but` must have none; NULL: all have it. */
void runs_assert_joined(const struct trace *t, const char *counter, const char *but);
