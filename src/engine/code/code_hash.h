/*
 * What a code object does, as a hash: two builds of one source have the same. Leaves out what
 * changes with each build but is never executed: the mark of a module (__hip_cuid_...), the tables
 * with its name, debug information, and offsets in the file.
 */
#pragma once

#include "engine/code/code_object.h"

/* Never 0. */
uint64_t code_object_hash(const struct code_object *c);
