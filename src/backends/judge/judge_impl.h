/* What the files of backends/judge share among themselves. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "backends/perf_common/sys.h"
#include "engine/judge/cell.h"

/*
 * Instructions that a cell executes in user mode, counted by the PMU. Who counts is the parent: the
 * event is its own, so that the cell can neither read, stop nor clear it.
 */
struct cell_counter;
/*
 * Counts a process from now on. NULL with a clause in why[CELL_WHY] where the kernel or the
 * machine does not count.
 */
struct cell_counter *cell_counter_open(const struct perf_sys *sys, pid_t pid, char *why);
/*
 * What was executed since the last call, or since it was opened. NAN with a clause in why where it
 * was not counted all the time: what it missed is not guessed.
 */
double cell_counter_take(struct cell_counter *c, char *why);
void cell_counter_close(struct cell_counter *c); /* NULL allowed */

/* Which system calls a cell may make; every other one ends in SIGSYS. */

/* From now on: only what loading a shared object takes; own: the process, which may stop itself. 0
 * or -errno. */
int cell_filter_loading(pid_t own);
/* From now on: only words to the parent, and memory. Nothing of it waits. What the turns need
 * beside that, only their own instructions may ask for; outputs: where these can be shown and
 * hidden. It lets no filter come after it. */
struct cell_outputs {
    char *from;
    size_t n;
};
int cell_filter_calling(pid_t own, struct cell_outputs outputs);

/* Descriptors of the child. */
enum {
    CELL_SOCKET = 3,
    CELL_MEMORY = 4,
    CELL_WORDS = 5,   /* a pipe: what the parent says */
    CELL_IMAGE = 6,   /* what its memory was */
    CELL_PROCESS = 7, /* itself */
    CELL_SEEN = 16,   /* bytes of code that a report has */
};

/* What ended the child. */
enum cell_end {
    CELL_RUNS,
    CELL_NO_OBJECT, /* text: what the loader says */
    CELL_NO_FUNCTION,
    CELL_TLS,     /* the object has thread-local data */
    CELL_SIGNAL,  /* number, address, seen */
    CELL_SYSCALL, /* number */
    CELL_STATE,   /* a call left something in registers: text */
    CELL_CLOCK,   /* it looks where the kernel shows the time */
};

/* What a cell says at its end. */
struct cell_report {
    uint32_t what; /* CELL_END */
    uint32_t end;  /* enum cell_end */
    int32_t number, code;
    uint64_t base;            /* where it has the memory */
    uint64_t data, data_size; /* where the object's static data is */
    uint64_t address, at;     /* of what was touched, of the code */
    uint8_t seen[CELL_SEEN];  /* the code's bytes */
    char text[256];
};

struct cell_word {
    uint32_t serial, what, n, how;
};
/* The parent says BEGIN, the child READY when it has loaded the object; then the parent says for
 * each call CALL, or LAST, and its place (n), and the child GO after the last one: whether the call
 * before that one wrote to memory of the process (n). */
enum { CELL_READY, CELL_GO, CELL_BEGIN, CELL_CALL, CELL_LAST, CELL_END };
/* How a call is made: memory is brought back before it, written or not; above that bit stands which
 * values numbers have. */
enum { CELL_ALWAYS = 1, CELL_DRAW_SHIFT = 1 };

/* Puts the buffers of calls out of the caches of all CPUs: they are the same lines in both
 * processes. */
void cell_cool(const struct cell_memory *m, const struct cell_calls *calls);

/* How a cell maps the memory that it shares with its parent. */

/*
 * Maps the buffers of the first places of the file `fd` at `base`, where nothing but reserved
 * addresses is, each at its place in the layout. Inputs can only be read. What stands between the
 * buffers, and all other places, cannot be touched. 0 or -errno.
 */
int cell_map(char *base, const struct cell_layout *l, int fd, size_t places);

/*
 * The two ways to do that; cell_map takes the first, and the second where the kernel lacks it.
 * Guarded (Linux 6.13, for files 6.15): two mappings, inputs and outputs, and marks on the pages
 * between the buffers. Singly: a mapping for each buffer, which takes several times as long.
 */
int cell_map_guarded(char *base, const struct cell_layout *l, int fd, size_t places);
int cell_map_singly(char *base, const struct cell_layout *l, int fd, size_t places);

/* Members of cell_ops. */
int cell_run(const char *object);
void cell_instruction(struct judge_instruction *out);
int run_judged_program(const char *command, const struct program_limits *limits,
                       struct program_took *took, struct judge_refusal *refused, struct error *err);
