/*
 * The cycles and the pressure on ports that llvm-mca predicts for a loop. The tool comes with LLVM
 * and runs as a child, within a limit of time. Its numbers are a model, never a measurement.
 */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "engine/ports/loops.h"

enum { MCA_LINES_MAX = 2048, MCA_PORTS_MAX = 96, MCA_NAME_MAX = 40 };

struct mca_port {
    char name[MCA_NAME_MAX]; /* as the model calls it: "Zn4FP0", "SPRPort05", "N2UnitL01" */
    char pipe;               /* 'D', 'S' or 'C', from its name */
    double cycles;           /* cycles of an iteration in which it is busy */
};

struct mca_line {
    const char *text; /* for the assembler; borrowed */
    bool known;       /* the tool accepts it; set by mca_run */
    double latency;   /* cycles */
    double between;   /* cycles from one such instruction to the next at best: 1 / throughput */
};

enum mca_bound { MCA_BY_DEPENDENCIES, MCA_BY_PORT, MCA_BY_DISPATCH };

struct mca_model {
    char tool[64]; /* "llvm-mca-19" */
    char cpu[MCA_NAME_MAX];
    unsigned instructions, left_out; /* modelled ones; lines that the tool did not know */
    unsigned iterations;
    double cycles; /* cycles of an iteration */
    double ipc, uops;
    double width;      /* uops that are dispatched in a cycle, at most */
    double throughput; /* cycles of an iteration if nothing waited for anything but ports */
    struct mca_port ports[MCA_PORTS_MAX];
    size_t nports;
    enum mca_bound bound;
    size_t busiest; /* index into ports; nports = none */
};

/* Models n lines as the body of a loop on the core `cpu`. NULL takes this machine's core, or a
 * usual one if `machine` is not this one. ERROR_UNSUPPORTED if no new enough llvm-mca is there
 * (base/toolbox.h) or it has no model of the core, ERROR_INPUT if it knows none of the lines. */
int mca_run(struct mca_line *lines, size_t n, enum code_machine machine, const char *cpu,
            struct mca_model *out, struct error *err);
/* The same for machine code. Leaves out the instructions that llvm-mc cannot disassemble. */
int mca_run_code(const void *code, size_t size, enum code_machine machine, const char *cpu,
                 struct mca_model *out, struct error *err);
/* Reads the output of llvm-mca --json for n lines. For mca_run, tests and fuzzing. */
int mca_parse(const char *json, struct mca_line *const *lines, size_t n, struct mca_model *out,
              struct error *err);
/* The pipe of a port, from its name in LLVM's models. */
char mca_pipe(const char *port);

/* What is known about the error of such a model, as a sentence. */
extern const char mca_error[];
