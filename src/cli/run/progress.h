/*
 * Opens files for commands, with a progress bar (progress_note.h) where opening takes long. INT,
 * TERM and HUP end the process at once.
 */
#pragma once

#include "cli/options/options.h"
#include "engine/analysis/analysis.h"
#include "engine/trace/window.h"

/* Sets what of all profiles opened from now on is wanted, from --value, --from, --to and --range. 0
 * or -errno with ERROR_USAGE. */
int progress_want(const struct options *o, struct error *err);
const struct window *progress_wanted(void);

/* Like trace_open and analysis_open, with the same errors. */
int progress_trace_open(struct trace *t, const char *const *paths, size_t n, struct error *err);
int progress_analysis_open(struct analysis *a, const char *const *paths, size_t n,
                           struct error *err);

/* Refuses a file of a CPU profiler, which has neither calls nor times of spans: for commands that
 * need them. 0 or -EINVAL with err. */
int progress_refuse_samples(const struct trace *t, const char *path, struct error *err);

/* Says what is being done: "reading", with an estimate of the memory needed if that is much. */
void progress_doing(char *out, size_t size, const struct trace *t, uint64_t done, uint64_t total);
/* Writes the line of the bar, at most width cells: "profile.db  reading  [=====     ]  43 %". */
void progress_line(char *out, size_t size, int width, const char *path, const char *doing,
                   double share);
