/* What the lab measured, kept in the history of benchmarks. */
#pragma once

#include "base/error.h"
#include "engine/lab/lab.h"

/*
 * Adds the vTPU operations per cycle of each stream and path, and what else was counted for the
 * stream that the gates judge, as series named "lab STREAM, PATH". Only the stream that the gates
 * judge has the unit "ops/cycle", for which the history has limits. db NULL: the usual database.
 * Notes go to standard error. 0, or -errno with err.
 */
int lab_keep(const struct lab_report *r, const char *db, struct error *err);
