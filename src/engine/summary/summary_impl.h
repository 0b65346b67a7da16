/* What the files of the summary share. */
#pragma once

#include "engine/summary/summary.h"

void summary_add(struct summary *s, struct summary_line line);
/* Adds a line of this text. */
void summary_say(struct summary *s, const char *label, const char *more, const char *how,
                 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for the line of the verdict. */
void summary_verdict(struct summary *s, const char *more, const char *how, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* "1 copy", "6 copies" */
const char *summary_count(struct summary *s, uint64_t n, const char *one, const char *many);
/* Appends " · TEXT" to the head; nothing if text is "". */
void summary_head(struct summary *s, const char *text);
/* "1.23 ms", "3.41 GiB": kept as long as the summary. */
const char *summary_time(struct summary *s, double ns, bool ascii);
const char *summary_value(struct summary *s, double v, enum unit unit, bool ascii);
double summary_percent(uint64_t part, uint64_t whole);

/* The lines of each kind. */
void summary_add_profile(struct summary *s, const struct analysis *a, bool ascii);
void summary_add_calls(struct summary *s, const struct syscalls_snapshot *p, bool ascii);
void summary_add_bricks(struct summary *s, const struct analysis *a, bool ascii);
void summary_add_samples(struct summary *s, const struct trace *t, bool ascii);
void summary_add_session(struct summary *s, const struct session_facts *f, bool ascii);
void summary_add_job(struct summary *s, const struct job_folder *f, bool ascii);
void summary_add_hang(struct summary *s, const struct hang *h, bool ascii);
void summary_add_captures(struct summary *s, const struct subject *of, bool ascii);
void summary_add_code(struct summary *s, const struct code_object *c, bool ascii);
void summary_add_traces(struct summary *s, const struct att_set *set, bool ascii);

/* "256 threads, 24 VGPRs, …": registers, LDS and how many waves fit. block: work-items of a
 * workgroup; 0: unknown. */
const char *summary_kernel_use(struct summary *s, const struct code_object *c,
                               const struct code_kernel *k, uint32_t block, bool ascii);
