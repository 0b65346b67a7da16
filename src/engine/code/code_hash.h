/*
 * What a code object does, as a hash: two builds of one source have the same. Left out is what the
 * compiler makes anew for each build, and nothing reads: the mark of a module (__hip_cuid_...) and
 * the tables in which its name stands, debug information, and the place in the file.
 */
#pragma once

#include "engine/code/code_object.h"

/* Never 0. */
uint64_t code_object_hash(const struct code_object *c);
