/*
 * A thread trace of one dispatch on an AMD GPU (rocprofv3 --att): the cost of each instruction,
 * what waves did over time, and how many ran. backends/att fills it; att_analysis.h computes from
 * it. All times are cycles of the shader clock.
 *
 * Latency is from when an instruction could first be issued to the end of its issue (gfx9) or of
 * its execution (gfx10 and later). The stall is part of it: cycles are the sum of latencies, never
 * latency + stall. (rocprofiler-sdk, thread-trace/trace_decoder_types.h; the rows are sums over
 * the waves traced.)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

#define ATT_UNKNOWN UINT32_MAX

/* The first 13 are the trace decoder's numbers. */
enum att_category {
    ATT_NONE,
    ATT_SMEM,
    ATT_SALU,
    ATT_VMEM,
    ATT_FLAT,
    ATT_LDS,
    ATT_VALU,
    ATT_JUMP,  /* a branch (in waves: one taken) */
    ATT_NEXT,  /* in waves: a branch not taken */
    ATT_IMMED, /* executed by the sequencer itself */
    ATT_CONTEXT,
    ATT_MESSAGE,
    ATT_BVH,
    ATT_WAIT,    /* waits for memory, as s_waitcnt; the decoder counts them as IMMED */
    ATT_BARRIER, /* IMMED too */
    ATT_MATRIX,  /* MFMA, WMMA; the decoder counts them as VALU */
    ATT_OTHER,
    ATT_CATEGORIES
};
const char *att_category_name(enum att_category c); /* "VMEM" */
/* Finds the category from the mnemonic, because code.json has none. */
enum att_category att_category_of(const char *isa);

enum att_state {
    ATT_STATE_EMPTY,
    ATT_STATE_IDLE,
    ATT_STATE_EXEC,
    ATT_STATE_WAIT,
    ATT_STATE_STALL,
    ATT_STATE_OTHER, /* a state of a later version */
    ATT_STATES
};
const char *att_state_name(enum att_state s); /* "exec" */

/* Why a sampled wave did not issue, in the order of the newer rows (rocprofiler-sdk,
 * pc_sampling.h, without its "none"). */
enum { ATT_REASONS_MAX = 16 };
const char *att_reason_name(unsigned i); /* "waitcnt"; "reason 12" has no name: "" */

enum att_service { ATT_TRACED, ATT_HOST_TRAP_SAMPLED, ATT_STOCHASTIC_SAMPLED };

struct att_row {
    const char *isa; /* "v_add_f32 v0, v1, v2"; of a marker the kernel's name */
    const char
        *source;      /* as the tool wrote it: "a.cpp:7", inlined "a.h:3 -> a.cpp:9"; "" unknown */
    const char *file; /* file of source's first part; "" unknown */
    const char *text; /* the source line, if the folder holds the file; else NULL */
    uint32_t source_line; /* 0 unknown */
    uint32_t line;        /* number that waves refer to it by; ATT_UNKNOWN: from a CSV */
    uint64_t codeobj, vaddr;
    uint64_t hits, latency, stall, idle; /* sums over the waves traced */
    uint64_t issued, stalled;            /* samples, if PCs were sampled too */
    uint32_t reasons;                    /* index into att.reasons, or ATT_UNKNOWN */
    uint8_t category;                    /* enum att_category */
    uint8_t service;                     /* enum att_service */
    bool marker;                         /* the head of a kernel, not an instruction */
};

struct att_instruction {
    int64_t time; /* issued at time + stall */
    uint32_t stall, duration, line;
    uint8_t category;
};
struct att_period {
    uint64_t duration;
    uint8_t state;
};
struct att_wave {
    const char *file; /* in the folder */
    int64_t begin, end;
    uint32_t se, simd, slot, id, cu; /* cu is ATT_UNKNOWN if the wave's file was not read */
    uint32_t first_instruction, ninstructions, first_period, nperiods;
    bool read; /* false: only its begin and end are known */
};

/* A wave began or ended, on any compute unit of the shader engine. */
struct att_event {
    int64_t time;
    uint32_t se, cu, simd, slot, kernel;
    bool start;
};
struct att_kernel {
    uint32_t id;
    const char *name;
};

struct att_sample { /* four hardware counters at one time; bank b has counters 4b to 4b+3 */
    int64_t time;
    double value[4];
    uint32_t se, cu, bank;
};

/* How many waves were in a state from `time` until the next entry. */
struct att_level {
    int64_t time;
    uint64_t waves;
    uint8_t state;
};

struct att_clock { /* the same moment on two clocks */
    int64_t shader;
    uint64_t real;
    uint32_t se;
};

/* The line of an s_waitcnt and the line that it waited for. */
struct att_wait {
    uint32_t line, on;
};

/* Arrays grow with att_grow; texts are allocated from `memory`. */
struct att {
    const char *name;         /* of the folder */
    uint32_t agent, dispatch; /* ATT_UNKNOWN */
    uint32_t gfx;             /* 9, 10, 11…; ATT_UNKNOWN */
    const char *gfxv;         /* "vega", "navi"; "" unknown */
    struct att_row *rows;     /* in the order of the code */
    uint64_t (*reasons)[ATT_REASONS_MAX];
    struct att_wave *waves; /* sorted by shader engine, SIMD, slot, number */
    struct att_instruction *instructions;
    struct att_period *periods;
    struct att_event *events; /* sorted by shader engine, then time */
    struct att_kernel *kernels;
    struct att_sample *samples;
    struct att_level *levels; /* sorted by state, then time */
    struct att_clock *clocks;
    struct att_wait *waits; /* sorted by line, each once */
    const char **counters;  /* names */
    const char **notes;     /* what is missing or was left out, for people */
    uint32_t nrows, nreasons, nwaves, ninstructions, nperiods, nevents, nkernels, nsamples, nlevels,
        nclocks, nwaits, ncounters, nnotes;
    uint32_t reasons_used; /* columns of reasons */
    uint32_t waves_read;   /* how many of nwaves were read */
    bool untraced;         /* no thread trace was taken: only PCs were sampled */
    double frequency;      /* of the real-time clock, Hz; 0 unknown */
    struct arena memory;
};
void att_free(struct att *a);

/* For readers. Returns the array with room for one more element; it grows if n is 0 or a power of
 * two. */
void *att_grow(void *list, uint32_t n, size_t size);
void att_note(struct att *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets file, source_line, category and marker of a row from its texts. Earlier rows must be
 * complete.
 */
void att_row_complete(struct att *a, uint32_t row);
/* Call it after the last row: sorts events, levels and waits. */
void att_finish(struct att *a);

/* Up to which point latency counts: "issue" (gfx9), "execution" (gfx10 and later), NULL if the
 * generation is unknown. */
const char *att_latency_end(const struct att *a);
/* "gfx9 (vega)" */
const char *att_gfx_name(const struct att *a, char out[32]);
/* The row of a wave's line, or ATT_UNKNOWN. Rows need not be in order of lines. */
uint32_t att_row_of_line(const struct att *a, uint32_t line);
/* The kernel's name, from the marker before the first executed row; "" if unknown. */
const char *att_kernel_name(const struct att *a);

/* Where the trace of a dispatch is. */
struct att_place {
    char *name;               /* of the folder of one dispatch */
    char *dir;                /* its folder; NULL: only its statistics exist */
    char *stats;              /* its statistics as CSV, or NULL */
    uint32_t agent, dispatch; /* ATT_UNKNOWN */
};
struct att_places {
    struct att_place *list; /* sorted by agent, dispatch, name */
    uint32_t n;
};
void att_places_free(struct att_places *p);

/* The reader, in backends/att. */
struct att_ops {
    /* Lists the dispatches below path: the folder of one, or a folder with several. -errno with
     * ERROR_INPUT if there are none. */
    int (*list)(struct att_places *out, const char *path, struct error *err);
    /* Missing parts become notes; damaged ones are errors. Free out in either case. */
    int (*read)(struct att *out, const struct att_place *p, struct error *err);
};
extern const struct att_ops att_reader;
