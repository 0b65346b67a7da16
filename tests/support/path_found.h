/* A trace and its critical path. */
#pragma once

#include "engine/kernels/kernels.h"
#include "engine/path/path_shares.h"

struct path_found {
    struct trace t; /* the test fills it before path_find */
    struct critical_path p;
    struct path_shares s;
    struct kernels k;
};

void path_find(struct path_found *f);
void path_drop(struct path_found *f); /* also frees the trace */
