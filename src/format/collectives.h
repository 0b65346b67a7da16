/*
 * The memory in which librooftop-nccl.so, inside a rank's program, records the calls of NCCL or
 * RCCL, and which `rooftop job` copies into the rank's folder as it is.
 *
 * Two tables after the header: communicators, and a ring of calls. Many threads write them, with
 * atomic stores; a slot is valid once its serial is stored. A reader trusts none of the numbers.
 * Times are ns of CLOCK_MONOTONIC. Stamps are ns of the device's clock, which begins anywhere.
 */
#pragma once

#include <stdint.h>

#define COLLECTIVES_MAGIC    UINT64_C(0x31736c6c6f637472) /* "rtcolls1" in memory */
#define COLLECTIVES_VARIABLE "ROOFTOP_COLLECTIVES"        /* names the memory to the program */
#define COLLECTIVES_NEXT     "ROOFTOP_NCCL_NEXT"          /* another plugin, which is loaded, too */
enum {
    COLLECTIVES_VERSION = 2,
    COLLECTIVES_GROUPS = 4096,
    COLLECTIVES_CALLS = 8192, /* a power of two */
    COLLECTIVES_TEXT = 32,
    COLLECTIVES_CHANNELS =
        128, /* RCCL's MAXCHANNELS, NCCL's is 64: those beyond are not recorded */
};

/* A communicator, as one rank of it sees it. */
struct collectives_group {
    uint64_t serial; /* how many were made before, + 1; 0: free */
    uint64_t id;     /* the same in all ranks */
    uint64_t calls;  /* collectives begun */
    uint64_t pairs;  /* sends and receives begun */
    uint64_t begun;  /* calls whose kernel was seen to begin; 0: NCCL does not tell kernels */
    uint32_t rank, ranks, nodes;
    uint32_t ended; /* 1: the communicator is gone */
    char name[COLLECTIVES_TEXT];
    uint64_t announced; /* collectives that the program asked for; 0: NCCL does not tell */
    uint64_t pad[4];
};

struct collectives_call {
    uint64_t serial;      /* how many were recorded before, + 1; 0: free */
    uint64_t group;       /* serial of the communicator */
    uint64_t number;      /* of the collective in its communicator, from 1; the same in all ranks */
    uint64_t called;      /* time */
    uint64_t begun;       /* time at which its first kernel was seen to run; 0: not yet */
    uint64_t ended;       /* time at which its last kernel was seen to have ended; 0: not yet */
    uint64_t first, last; /* stamps of the first begin and the last end; 0: unknown */
    uint64_t count;       /* elements */
    uint32_t peer;        /* of a send or receive, or the root */
    uint8_t pair;         /* 1: a send or receive */
    uint8_t channels;     /* kernels that it has; 0 unknown */
    uint16_t done;        /* kernels that have ended */
    uint64_t running[COLLECTIVES_CHANNELS / 64]; /* a bit for each channel whose kernel runs */
    char op[16], type[16];                       /* "AllReduce", "ncclFloat32" */
};

struct collectives_header {
    uint64_t magic;
    uint32_t version, pid; /* pid: of the program that records, in its own namespace; 0: none yet */
    uint64_t calls, groups;   /* begun, of all */
    uint64_t dropped;         /* communicators without a slot, and calls overwritten unended */
    uint64_t refused;         /* other processes of the rank that wanted to record, too */
    uint64_t seen, seen_wall; /* by `rooftop job`: time and time of day of its last look */
    uint64_t pad[8];
};

struct collectives {
    struct collectives_header header;
    struct collectives_group groups[COLLECTIVES_GROUPS];
    struct collectives_call calls[COLLECTIVES_CALLS];
};

_Static_assert(sizeof(struct collectives_header) == 128, "part of the format");
_Static_assert(sizeof(struct collectives_group) == 128, "part of the format");
_Static_assert(sizeof(struct collectives_call) == 128, "part of the format");
