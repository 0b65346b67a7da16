/* Writes dumps of PyTorch's flight recorder as c10d does: a pickle of protocol 2, texts and frames
 * kept once (torch/csrc/jit/serialization/pickler.cpp), or JSON (dump_json, without frames). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct flight_call {
    const char *group, *description, *op; /* "0", "default_pg", "all_reduce" */
    uint64_t sequence;
    int64_t in, out;  /* elements of its only tensor; below 0: no tensor */
    const char *type; /* "Float" */
    const char *state;
    uint64_t created; /* ns */
    bool retired, pair;
    uint32_t record, timeout_ms;
    int line; /* of train.py */
};

struct flight_group {
    const char *name, *description;
    uint32_t from, n, step; /* its ranks: from, from + step, ... */
};

/* Both write a whole dump. */
void flight_dump_pickle(FILE *out, const struct flight_group *groups, size_t ngroups,
                        const struct flight_call *calls, size_t n);
void flight_dump_json(FILE *out, const struct flight_group *groups, size_t ngroups,
                      const struct flight_call *calls, size_t n);
