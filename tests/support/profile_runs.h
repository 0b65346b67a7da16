/* rooftop profile over the stand-ins for profilers (fake_profilers), run as a user runs it: what
 * its tests share. In lines of shell BIN is rooftop, D a folder that is removed at the end, PATH
 * has the stand-in for rocprofv3, $D/nvidia that for nsys, PLAIN_PATH none. */
#ifndef TESTS_SUPPORT_PROFILE_RUNS_H
#define TESTS_SUPPORT_PROFILE_RUNS_H

#include "engine/profiler/gpu_run.h"
#include "engine/trace/trace.h"
#include "support/program.h"

int runs_begin(void **state);
int runs_end(void **state);
/* Runs the line and expects its exit status. */
void runs_expect(struct program *p, const char *line, int status);
void runs_word(const char *text, const char *word);
/* Both, of what is on stderr. */
void runs_line(const char *line, int status, const char *word);
const char *runs_path(const char *name); /* below D; static */
void runs_read(struct gpu_run *r, const char *name);
/* Every dispatch has its own times, and the counter's value of the n-th of its kernel in its queue;
 * none where the kernel is called `but` (NULL: all have). */
void runs_assert_joined(const struct trace *t, const char *counter, const char *but);

#endif
