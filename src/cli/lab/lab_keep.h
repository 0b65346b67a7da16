/* What the lab measured, kept in the history of benchmarks. */
#pragma once

#include "base/error.h"
#include "engine/lab/lab.h"

/*
 * Adds vTPU ops a cycle of each stream and path, and what else was counted of the stream that the
 * gates judge, as series named "lab STREAM, PATH". Only the one that the gates judge has the unit
 * "ops/cycle", for which the history has limits. db NULL: the usual database. Notes go to standard
 * error. 0, or -errno with err.
 */
int lab_keep(const struct lab_report *r, const char *db, struct error *err);
