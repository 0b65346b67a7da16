/* What the files of backends/judge share among themselves. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "backends/perf_common/sys.h"
#include "engine/judge/sandbox.h"

/*
 * Instructions that a sandbox executes in user mode, counted by the PMU. Who counts is the parent:
 * the event is its own, so that the sandbox can neither read, stop nor clear it.
 */
struct sandbox_counter;
/*
 * Counts a process from now on. NULL with a clause in why[SANDBOX_WHY] where the kernel or the
 * machine does not count.
 */
struct sandbox_counter *sandbox_counter_open(const struct perf_sys *sys, pid_t pid, char *why);
/*
 * What was executed since the last call, or since it was opened. NAN with a clause in why where it
 * was not counted all the time: what it missed is not guessed.
 */
double sandbox_counter_take(struct sandbox_counter *c, char *why);
void sandbox_counter_close(struct sandbox_counter *c); /* NULL allowed */

/* Which system calls a sandbox may make; every other one ends in SIGSYS. */

/* From now on: only what loading a shared object takes; own: the process, which may stop itself. 0
 * or -errno. */
int sandbox_filter_loading(pid_t own);
/* From now on: only words to the parent, and memory. Nothing of it waits. What the turns need
 * beside that, only their own instructions may ask for; outputs: where these can be shown and
 * hidden. It lets no filter come after it. */
struct sandbox_outputs {
    char *from;
    size_t n;
};
int sandbox_filter_calling(pid_t own, struct sandbox_outputs outputs);

/* Descriptors of the child. */
enum {
    SANDBOX_SOCKET = 3,
    SANDBOX_MEMORY = 4,
    SANDBOX_WORDS = 5,   /* a pipe: what the parent says */
    SANDBOX_IMAGE = 6,   /* what its memory was */
    SANDBOX_PROCESS = 7, /* itself */
    SANDBOX_SEEN = 16,   /* bytes of code that a report has */
};

/* What ended the child. */
enum sandbox_end {
    SANDBOX_RUNS,
    SANDBOX_NO_OBJECT, /* text: what the loader says */
    SANDBOX_NO_FUNCTION,
    SANDBOX_TLS,     /* the object has thread-local data */
    SANDBOX_SIGNAL,  /* number, address, seen */
    SANDBOX_SYSCALL, /* number */
    SANDBOX_STATE,   /* a call left something in registers: text */
    SANDBOX_CLOCK,   /* it looks where the kernel shows the time */
};

/* What a sandbox says at its end. */
struct sandbox_report {
    uint32_t what; /* SANDBOX_END */
    uint32_t end;  /* enum sandbox_end */
    int32_t number, code;
    uint64_t base;              /* where it has the memory */
    uint64_t data, data_size;   /* where the object's static data is */
    uint64_t address, at;       /* of what was touched, of the code */
    uint8_t seen[SANDBOX_SEEN]; /* the code's bytes */
    char text[256];
};

struct sandbox_word {
    uint32_t serial, what, n, how;
};
/* The parent says BEGIN, the child READY when it has loaded the object; then the parent says for
 * each call CALL, or LAST, and its slot (n), and the child GO after the last one: whether the call
 * before that one wrote to memory of the process (n). */
enum { SANDBOX_READY, SANDBOX_GO, SANDBOX_BEGIN, SANDBOX_CALL, SANDBOX_LAST, SANDBOX_END };
/* How a call is made: memory is brought back before it, written or not; above that bit stands which
 * values numbers have. */
enum { SANDBOX_ALWAYS = 1, SANDBOX_SAMPLE_SHIFT = 1 };

/* Puts the buffers of calls out of the caches of all CPUs: they are the same lines in both
 * processes. */
void sandbox_cool(const struct sandbox_memory *m, const struct sandbox_calls *calls);

/* How a sandbox maps the memory that it shares with its parent. */

/*
 * Maps the buffers of the first slots of the file `fd` at `base`, where nothing but reserved
 * addresses is, each where the layout says. Inputs can only be read. What stands between the
 * buffers, and all other slots, cannot be touched. 0 or -errno.
 */
int sandbox_map(char *base, const struct sandbox_layout *l, int fd, size_t slots);

/*
 * The two ways to do that; sandbox_map takes the first, and the second where the kernel lacks it.
 * Guarded (Linux 6.13, for files 6.15): two mappings, inputs and outputs, and marks on the pages
 * between the buffers. Singly: a mapping for each buffer, which takes several times as long.
 */
int sandbox_map_guarded(char *base, const struct sandbox_layout *l, int fd, size_t slots);
int sandbox_map_singly(char *base, const struct sandbox_layout *l, int fd, size_t slots);

/* Members of sandbox_ops. */
int sandbox_run(const char *object);
void sandbox_instruction(struct judge_instruction *out);
int run_judged_program(const char *command, const struct program_limits *limits,
                       struct program_took *took, struct judge_refusal *refused, struct error *err);
