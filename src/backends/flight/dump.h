/* The collectives of a dump. */
#pragma once

#include "backends/flight/plain.h"
#include "engine/job/hang.h"

/* Adds the rank to h. 0, or -errno with err: the data is no dump, or one of an unknown version. */
int dump_add(struct hang *h, const struct plain_value *root, uint32_t number, uint64_t written,
             const char *path, struct error *err);
