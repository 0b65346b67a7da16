/* The process that measures. It runs code that was just generated, so it may crash, and the
 * reason is then reported (backends/lab/measure.h). These functions start it and read its output
 * without waiting. One thread calls them. */
#pragma once

#include "base/error.h"
#include "engine/lab/lab.h"

struct lab_child;
/* templates: the name of the target to compile for; NULL: the fastest one. */
int lab_child_start(struct lab_child **out, const char *templates, struct error *err);
/* A descriptor that is readable when lab_child_poll has something to do. */
int lab_child_fd(const struct lab_child *c);
/* Reads what there is. Returns whether the report or the state changed. */
bool lab_child_poll(struct lab_child *c);
const struct lab_report *lab_child_report(const struct lab_child *c);
bool lab_child_done(const struct lab_child *c);
/* After its end: 0, or -errno with why, where it did not measure all. */
int lab_child_result(const struct lab_child *c, struct error *err);
/* Ends the child if it still runs. NULL allowed. */
void lab_child_free(struct lab_child *c);
