/* What the files of backends/bpf share among themselves. */
#pragma once

#include <linux/bpf.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/common/task_table.h"
#include "engine/syscalls/memory.h"
#include "engine/syscalls/tracer.h"

/* What the kernel's programs and rooftop share: records, the state of a task, plans. */

enum record_kind {
    RECORD_ENTRY,  /* of a call, with the memory that it will read */
    RECORD_CALL,   /* that returned, whole */
    RECORD_START,  /* tid, pid: of the new task; number, abi: the maker's call, args: struct of
                      START_* */
    RECORD_EXEC,   /* args[0]: former tid; memory: the program's path, its arguments */
    RECORD_EXIT,   /* result: status; args[0]: peak of resident memory in pages. begin_ns etc. as of
                      the call that the task was in */
    RECORD_SIGNAL, /* delivered. result: number; args: the first 48 bytes of siginfo_t; number: 1
                      if the program has no handler */
    RECORD_SENT,   /* the same of a signal that is on its way */
    RECORD_SUBMITTED, /* to io_uring. args: OPERATION_* */
    RECORD_COMPLETED  /* the same, of any task */
};
/* WHAT: the opcode of a submission, the result of a completion. */
enum {
    OPERATION_RING,
    OPERATION_REQUEST,
    OPERATION_DATA,
    OPERATION_FLAGS,
    OPERATION_WHAT,
    OPERATION_FIELDS
};
enum { START_FLAGS, START_MAKER, START_MAKERS_ARG, START_NAME /* and the next */ };

struct record {
    uint32_t tid, pid;
    uint8_t kind, abi;
    uint8_t in_call; /* START, EXIT: enum task_phase. CALL: no RECORD_ENTRY came before it */
    uint8_t spare;
    uint32_t number;
    uint64_t begin_ns, end_ns;
    int64_t result;
    uint64_t args[6];
    uint64_t stack_pointer; /* at the entry; behind the arguments: ARG_STACK is its number */
    /* Pieces of memory follow, each a struct piece and its bytes, rounded up to 8. */
};
struct piece {
    uint64_t address;
    uint32_t size;
    uint32_t again; /* read at the return, but of the entry */
};

/* A value of the map of tasks; its key is the tid. */
enum task_phase { PHASE_NONE, PHASE_CALL, PHASE_UNWANTED };
struct task_state {
    uint64_t begin_ns;
    uint64_t args[6];
    uint64_t stack_pointer;
    uint32_t number;
    uint8_t abi, phase;
    uint8_t fresh; /* the next return has no entry */
    uint8_t again; /* memory of the entry could not be read */
    uint32_t pid;
    uint8_t alone;    /* no other task has its memory: nothing changes it while a call lasts */
    uint8_t late;     /* memory of the entry is read at the return */
    uint16_t scratch; /* which one it took last */
    uint64_t floor;   /* resident pages that were there before its program */
};

/* How to read the memory of one argument. */
enum op_kind {
    OP_BYTES,   /* max bytes */
    OP_STRING,  /* up to its NUL, max bytes */
    OP_LENGTH,  /* as many as args[other] * scale says */
    OP_RESULT,  /* as many as the result * scale says */
    OP_VECTOR,  /* an iovec of args[other] (or scale, if not 0) elements, and what they point to */
    OP_MESSAGE, /* a struct msghdr, and what it points to */
    OP_STRINGS  /* an array of addresses of strings, ended by NULL */
};
enum { ARG_STACK = 6 };
struct op {
    uint8_t kind, arg, other, scale;
    uint32_t max;
};
enum { PLAN_OPS = 6, PLAN_NUMBERS = 640, PLAN_ABIS = 3, PLANS = PLAN_NUMBERS * PLAN_ABIS };
struct plan {
    uint8_t wanted, nentry, nreturn;
    uint8_t by_command; /* memory matters only for these commands, a bit each; over 63: it may */
    /* A call that writes no memory which it read can tell all at its return, if its task is alone:
     * one record, not two. If it writes any, the arguments path and out must be far apart. */
    uint8_t late, path, out;
    uint8_t spare;
    uint64_t entry_commands, return_commands;       /* a command is the second argument */
    struct op entry[PLAN_OPS], at_return[PLAN_OPS]; /* those of the entry are the last ones */
};

/* DATA_MOST: when a record has as much, no piece is added. PIECE_MOST: of one; as much as an event
 * keeps of a string (TEXT_MOST), and a little that shows whether it ends there. */
enum {
    DATA_MOST = 64 * 1024,
    TEXT_MOST = 32 * 1024,
    PIECE_MOST = TEXT_MOST + 64,
    VECTOR_MOST = 32,
    STRINGS_MOST = 96
};
/* Where a record with memory is put together, one for each CPU. A task keeps the one that it took
 * until the record is sent: kernels run these programs with preemption, so it may go on on another
 * CPU. */
struct scratch {
    uint64_t used, vector; /* bytes of data; where in it an iovec is */
    uint64_t again, failed;
    uint64_t limit, address; /* of strings; of an array */
    uint32_t plan;           /* of the call: its place in the map of plans */
    uint32_t first, nops;    /* which of its operations are to be done */
    uint32_t owner;          /* tid; 0: free */
    struct record record;
    uint8_t data[DATA_MOST + PIECE_MOST + 64];
};

enum { LOST_CALLS, LOST_MEMORY, LOST_OTHERS, LOSTS };

/* The kernel's BPF ring buffer, read without waiting for it. */

struct ring {
    int map;
    size_t size;        /* of the data, a power of two */
    uint64_t *consumer; /* a page that we write */
    uint8_t *pages;     /* producer's page, then the data */
};

/* Makes it, for programs to write. size: a power of two of whole pages. 0 or -errno. */
int ring_make(struct ring *r, size_t size);
/* Makes its data readable. 0 or -errno. */
int ring_map(struct ring *r);
void ring_close(struct ring *r);

/*
 * Gives what is there, record after record, to `take`; a record that is being written ends it.
 * One of `whole` bytes that goes around the end of the ring comes in two parts. Returns the bytes
 * that were taken from the ring.
 */
size_t ring_read(struct ring *r,
                 void (*take)(void *ctx, const void *part, size_t n, size_t whole, bool first),
                 void *ctx);

/*
 * Empties the ring faster than anything can be made of its records: a thread of its own copies them
 * into a queue, in memory while they are few, then in a temporary file. So a program that makes
 * calls faster than rooftop writes them loses none.
 */

enum { INTAKE_SPARE = 4 };
struct intake_chunk {
    uint8_t *bytes; /* NULL: in the file */
    off_t at;
    size_t n;
};

struct intake {
    struct ring *ring;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    bool running, stop;
    int wake;                  /* an eventfd: the thread shall look now */
    struct intake_chunk *list; /* the queue: from first to n */
    size_t first, n, cap;
    size_t in_memory; /* bytes */
    int file;         /* -1: not made yet */
    off_t file_end;
    uint64_t lost; /* records that no file could take */
    /* Chunks of CHUNK bytes that were read: to be filled again, their pages are there already. */
    uint8_t *spare[INTAKE_SPARE];
    size_t nspare;
    /* The thread's own. */
    uint8_t *chunk;
    size_t used, cap_chunk;
    /* The reader's own. */
    uint8_t *from_file;
    size_t from_file_cap;
};

/* Returns 0 or -errno. */
int intake_start(struct intake *in, struct ring *ring);
/* Takes what is in the ring now, and ends the thread. What is queued stays. */
void intake_stop(struct intake *in);
void intake_free(struct intake *in);
/* Gives the next chunk's records to `take`, whole. Returns how many; 0: nothing is queued. */
size_t intake_take(struct intake *in, void (*take)(void *ctx, const uint8_t *record, size_t n),
                   void *ctx);

/* The kernel's bpf(2): maps and programs. Descriptors are closed by their owner. */

struct code;

/* A descriptor or -errno. type: BPF_MAP_TYPE_... */
int kernel_map(unsigned type, uint32_t key, uint32_t value, uint32_t entries, uint32_t flags);
int kernel_map_set(int map, const void *key, const void *value);
int kernel_map_get(int map, const void *key, void *value);
int kernel_map_drop(int map, const void *key);
/* The key after this one; key NULL: the first. -ENOENT at the end. */
int kernel_map_next(int map, const void *key, void *next);
/* How many CPUs the kernel has room for: maps of each CPU have as many values. */
uint32_t kernel_cpus(void);
/* What programs with functions need; a descriptor or -errno. The arguments of functions that stand
 * alone are a pointer to `size` bytes and two numbers. */
int kernel_types_load(uint32_t size);
/* Loads a program for raw tracepoints. types: of kernel_types_load, or -1. why (may be NULL) gets
 * what the verifier says against it. */
int kernel_program(const struct code *c, int types, char *why, size_t size);
/* It runs from now on until the descriptor is closed. */
int kernel_attach(int program, const char *tracepoint);
/* How often the kernel did not run the program, because it ran on that CPU already. */
uint64_t kernel_program_missed(int program);

/*
 * Writes programs for the kernel's BPF machine, instruction by instruction. Registers R0 to R10;
 * jumps go to labels, which may be placed later; functions are called by label too.
 */

enum { CODE_MAX = 1024, CODE_LABELS = 128, CODE_FUNCTIONS = 8 };
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

struct code {
    struct bpf_insn list[CODE_MAX];
    size_t n;
    int16_t to[CODE_MAX];        /* label + 1 that an instruction jumps to; 0: none */
    int16_t labels[CODE_LABELS]; /* where each is; -1: not placed */
    int nlabels;
    uint32_t functions[CODE_FUNCTIONS]; /* where each begins; the program itself is the first */
    uint32_t nfunctions;
    bool stands_alone[CODE_FUNCTIONS]; /* see code_function_alone */
    bool full;
};

void code_start(struct code *c); /* empties c */
/* Makes a label, to be placed once: here, or anywhere later. */
int code_label(struct code *c);
void code_place(struct code *c, int label);
void code_function(struct code *c, int label); /* a function begins here */
/* The same, of a function that the kernel verifies once and not at each call. It knows nothing of
 * the arguments but their types (kernel_types_load), so R1 may be NULL. */
void code_function_alone(struct code *c, int label);
/* Fills in the jumps. False: a label was not placed, or there are too many instructions. */
bool code_finish(struct code *c);

/* register = register, number; register += ... (op: BPF_ADD, BPF_AND, ...), 64 and 32 bits */
void put_mov(struct code *c, int to, int from);
void put_mov_number(struct code *c, int to, int32_t number);
void put_mov32(struct code *c, int to, int from);
void put_alu(struct code *c, int op, int to, int from);
void put_alu_number(struct code *c, int op, int to, int32_t number);
/* to = memory at base + offset, and the other way. size: BPF_B, BPF_H, BPF_W, BPF_DW */
void put_load(struct code *c, int size, int to, int base, int offset);
void put_store(struct code *c, int size, int base, int offset, int from);
void put_store_number(struct code *c, int size, int base, int offset, int32_t number);
/* Jumps to the label; if a op b; if a has any of the bits. op: BPF_JEQ, BPF_JNE, BPF_JGT, BPF_JSLE,
 * ...; comparisons are unsigned unless their name has an S. */
void put_jump(struct code *c, int label);
void put_jump_if(struct code *c, int op, int a, int b, int label);
void put_jump_if_number(struct code *c, int op, int a, int32_t number, int label);
void put_jump_if_set(struct code *c, int a, int32_t bits, int label);
/* to = the map of this descriptor; the address of the function at a label. */
void put_load_map(struct code *c, int to, int fd);
void put_load_function(struct code *c, int to, int label); /* for helpers that call back */
/* Calls a function of the kernel (BPF_FUNC_...), or the one at a label: R1 to R5 in, R0 out. */
void put_helper(struct code *c, int number);
void put_call_function(struct code *c, int label);
void put_leave(struct code *c); /* returns R0 */

/* Where members of the running kernel's structures are, from its BTF. */

/* In bytes; -1: the kernel has no such member. */
struct kernel_types {
    int task_pid, task_tgid, task_exit_code, task_signal, task_mm, task_status;
    int signal_flags, signal_code, signal_maxrss;
    int mm_arg_start, mm_arg_end;
    int mm_rss, mm_rss_peak, counter_count, counter_size; /* -1: only peaks over those of rooftop */
    /* of struct io_kiocb; in its completion; what the tracepoint io_uring_complete is told */
    int request_ring, request_opcode, request_flags, request_data, complete_arguments;
    int program_name; /* of struct linux_binprm */
};

/* Returns 0 or -errno: there is no BTF, or what is needed is not in it. */
int kernel_types_read(struct kernel_types *out);

/* The programs that run in the kernel, one for each raw tracepoint. */

struct programs_setup {
    int tasks, plans, scratch, ring, lost; /* maps */
    int memory_program;                    /* the map that has it at place 0 */
    int rings;                             /* of io_uring, of tasks that are traced: a map */
    bool follow;                           /* child processes too; threads always */
    bool memory;                           /* what arguments point to is kept */
    struct kernel_types types;
};

struct program {
    const char *tracepoint;
    bool calls;   /* it is of calls, not of tasks */
    bool signals; /* not needed for sums */
    bool newer;   /* some kernels do not have the tracepoint; likewise not needed for sums */
    void (*write)(struct code *c, const struct programs_setup *s);
};
/* Ended by a NULL tracepoint. Tasks come before calls: they are to be attached in this order. */
extern const struct program programs[];

/*
 * What the files that write the kernel's programs share. Each put_… appends instructions to c. The
 * programs use registers alike: R7 is the pid and tid of the current task, R8 its struct
 * task_state, R9 the record or scratch that is being filled. R0 to R5 change with each call of a
 * helper. A label such as `none` or `out` is where the program goes on if the step fails.
 */

/* Registers that keep their values across calls: R6 to R9. Below FP is the stack. */
#define TASK(member)    ((int)offsetof(struct task_state, member))
#define RECORD(member)  ((int)offsetof(struct record, member))
#define SCRATCH(member) ((int)offsetof(struct scratch, member))
#define IN_SCRATCH(m)   (SCRATCH(record) + RECORD(m))
#define ARG(i)          (8 * (i))

/* The stack of the programs. */
enum {
    STACK_KEY = -8,
    STACK_REGS = STACK_KEY - 104,      /* registers of the program */
    STACK_SMALL = STACK_REGS - 16,     /* bp and bx; the kernel's values */
    STACK_CONTEXT = STACK_SMALL - 32,  /* of a callback */
    STACK_PLAN = STACK_CONTEXT + 16,   /* which, and how many operations */
    STACK_OPS = STACK_CONTEXT + 24,    /* of the return or all; of the entry */
    STACK_STATE = STACK_CONTEXT - 104, /* a struct task_state */
};
_Static_assert(sizeof(struct task_state) <= 96, "the stack has room for it");
_Static_assert(sizeof(struct record) == 96 && sizeof(struct piece) == 16, "no holes");

/* R0 = the value in the map for the 32-bit key at STACK_KEY. */
void put_look_up(struct code *c, int map, int none);
/* Fills R7 and R8; goes to `none` if the current task is not traced. */
void put_find_task(struct code *c, const struct programs_setup *s, int none);
/* Adds 1 to the counter `which` of the map of losses. */
void put_count_lost(struct code *c, const struct programs_setup *s, int which);
/* Copies size bytes of the kernel's memory, at register `address` + offset, to FP + to. */
void put_read_kernel(struct code *c, int to, int size, int address, int offset);
/* R9 = room for a record in the ring. Without room, counts a loss in `which` and goes to `out`. */
void put_reserve(struct code *c, const struct programs_setup *s, int which, int out);
/* Gives the record in R9, from put_reserve, to the reader. */
void put_submit(struct code *c);
/* Writes tid, pid and kind of the record that lies at register base + offset. */
void put_head(struct code *c, int base, int offset, int kind);
/* Writes the call that R8 keeps into that record. */
void put_copy_call(struct code *c, int base, int offset);
/* Writes 0 as its end and its result. */
void put_no_end(struct code *c, int base, int offset);
/* R0 = the plan for the call that R8 keeps. */
void put_find_plan(struct code *c, const struct programs_setup *s, int none);
/* R9 = the scratch that the task of R7 and R8 took, as it is. */
void put_find_scratch(struct code *c, const struct programs_setup *s, int none);
/* Does the operations that the scratch R9 asks for, of the plan R0, each by the function
 * `callback`.
 */
void put_run_ops(struct code *c, int callback);
/* R9 = the scratch of this CPU, emptied and taken by the task of R7 and R8, with the head of a
 * record of that kind. */
void put_open_scratch(struct code *c, const struct programs_setup *s, int kind, int none);
/* Goes to `without` if the plan in R0 says that this command of the call has no memory. mask: the
 * offset of the commands in struct plan. */
void put_choose_command(struct code *c, int mask, int without);
/* Does R1 operations of the plan at STACK_PLAN, from number R2 on, with the record in the scratch
 * R9, and sends it: goes on in program_memory. Where that is not there, the record goes without
 * memory.
 */
void put_send_with_memory(struct code *c, const struct programs_setup *s, int which);
/* Sends the record in the scratch R9, or counts a loss in `which`. */
void put_output(struct code *c, const struct programs_setup *s, int which);
/* Places `out` and leaves the program with 0. */
void put_end_program(struct code *c, int out);

/* --- memory_parts.c: functions that read memory of the traced program into the scratch --- */

/* Their labels. */
struct functions {
    int append, append_string, op, vector, strings;
};
/* Each writes one function; its file says what its registers are. */
void function_append(struct code *c);
void function_append_string(struct code *c, int reader);
void function_names(struct code *c, struct functions *f);
void functions_put(struct code *c, const struct functions *f);

/* --- the programs: see `programs` in programs.h --- */
void program_enter(struct code *c, const struct programs_setup *s);
void program_exit(struct code *c, const struct programs_setup *s);
void program_memory(struct code *c, const struct programs_setup *s);
void program_newtask(struct code *c, const struct programs_setup *s);
void program_task_exit(struct code *c, const struct programs_setup *s);
void program_before_exec(struct code *c, const struct programs_setup *s);
void program_exec(struct code *c, const struct programs_setup *s);
void program_signal(struct code *c, const struct programs_setup *s);
void program_sent(struct code *c, const struct programs_setup *s);

/* Which calls are wanted, and what of the program's memory is read for each. */

/* Fills the PLANS plans. */
void plans_fill(struct plan *plans, const struct tracer_setup *setup);

/*
 * The records of the ring about calls and tasks as events of engine/syscalls/event.h.
 *
 *     struct raw_calls r;
 *     raw_calls_open(&r, ...);
 *     raw_calls_started(&r, ...);              // the command, or what was attached to
 *     raw_calls_entered/left/...(&r, ...);     // record after record
 *     raw_calls_close(&r);                     // calls that have not returned, tasks that are left
 *
 * Records may be missing: a return without its entry, an end of an unknown task. No record makes
 * more of an event than it says. All functions belong to one thread, that of the sink.
 */

/* The numbers of processes inside the kernel's records are ours: rooftop runs in no container with
 * pids of its own. */
bool raw_calls_pids_are_ours(void);

struct raw_task;

struct raw_calls {
    const struct tracer_setup *setup;
    const struct syscall_sink *sink;
    struct tracer_result *result; /* calls, lost, unfinished, rings are counted here */
    struct task_table tasks;      /* struct raw_task */
};

void raw_calls_open(struct raw_calls *r, const struct tracer_setup *setup,
                    const struct syscall_sink *sink, struct tracer_result *result);
void raw_calls_close(struct raw_calls *r);

/* A task as it begins. */
struct raw_start {
    int32_t pid, tid, parent; /* parent: tid of the maker, 0 unknown */
    uint64_t ns, flags;       /* clone flags */
    const char *name;         /* NULL: as /proc says */
    bool prelude;             /* rooftop's own code: only execve counts until it succeeds */
};
void raw_calls_started(struct raw_calls *r, const struct raw_start *s);

/*
 * The entry of a call: tid, pid, abi, number, begin_ns, args. m: the memory of the program as it is
 * or was at the entry, NULL: unknown. A second entry of the same call (its begin_ns) adds memory
 * only.
 */
void raw_calls_entered(struct raw_calls *r, const struct syscall_event *call,
                       const struct syscall_memory *m);
/* The same of a call that has returned, just before its return is told: no event of its own. */
void raw_calls_entered_late(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m);
/* More of the memory at the entry of the call, which could not be read before. */
void raw_calls_entry_memory(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m);
/* The return of a call: all of its entry, result and end_ns. */
void raw_calls_left(struct raw_calls *r, const struct syscall_event *call,
                    const struct syscall_memory *m);
/* An operation of io_uring: tid and pid of the submitter, number, begin_ns, end_ns, args, result;
 * flags SYSCALL_UNFINISHED: its completion was not seen. */
void raw_calls_operation(struct raw_calls *r, const struct syscall_event *operation);
/* The task runs another program. former: the tid that called execve. line: path and arguments, each
 * ended by NUL. */
void raw_calls_executed(struct raw_calls *r, int32_t tid, int32_t former, uint64_t ns,
                        const char *line, size_t n);
/* Before that: texts of the call that could not be read at its entry, from the new program, whose
 * interpreter (or path) and arguments, each ended by NUL, these are. */
void raw_calls_exec_memory(struct raw_calls *r, int32_t former, const char *interpreter,
                           const char *arguments, size_t n);
/* status: as wait(2) gives it, -1: unknown. resident: peak of the process in bytes, 0: unknown. The
 * end of a process's first thread is told when its last one ends. */
void raw_calls_ended(struct raw_calls *r, int32_t tid, uint64_t ns, int64_t status,
                     uint64_t resident);
void raw_calls_signalled(struct raw_calls *r, int32_t tid, uint64_t ns, const siginfo_t *info);
void raw_calls_paused(struct raw_calls *r, int32_t tid, uint64_t ns, int signo);
/* This many more calls were lost. */
void raw_calls_lost(struct raw_calls *r, uint64_t n, uint64_t ns);

/*
 * Operations of io_uring: the tracepoint of a submission and that of its completion, put together.
 * They are no system calls; a program that uses io_uring makes a few calls for many of them.
 */

struct operation; /* submitted, and not completed */

struct operations { /* zeroed: empty */
    struct operation *list;
    size_t n, used, cap;             /* used: places of list, also free ones */
    uint32_t *heads;                 /* newest of each chain; places count from 1, 0: none */
    uint32_t newest, oldest, unused; /* unused: the first free place */
};

/* r: RECORD_SUBMITTED. */
void operations_submitted(struct operations *o, struct raw_calls *raw, const struct record *r);
/* r: RECORD_COMPLETED, of any task: the kernel completes an operation wherever it has time. */
void operations_completed(struct operations *o, struct raw_calls *raw, const struct record *r);
/* Tells those that are left as unfinished, and frees. */
void operations_close(struct operations *o, struct raw_calls *raw, uint64_t ns);

/* One tracing by BPF: maps, programs, the ring, and what becomes of its records. */

enum { BPF_TRACE_PROGRAMS = 10, BPF_TRACE_RING = 8 << 20, BPF_TRACE_SENT = 64 };

/* A signal that was sent to a process and not delivered; the kernel never tells the delivery of one
 * that ends it. */
struct bpf_sent {
    int32_t pid;
    siginfo_t info;
};

/* Operations of io_uring. */
enum { OPERATION_PROGRAMS = 2 };
struct bpf_operations {
    int rings;                        /* a map; -1: not there */
    int programs[OPERATION_PROGRAMS]; /* likewise */
    uint64_t missed;                  /* of submissions and completions, that was told */
    struct operations open;
};

struct bpf_trace {
    const struct tracer_setup *setup;
    struct ring ring;
    int tasks, plans, scratch, lost; /* maps; -1: not there */
    uint32_t cpus;                   /* that maps of each CPU have values of */
    int types;                       /* of the programs' functions */
    int memory_program;              /* the map of the program that others go on in */
    int links[BPF_TRACE_PROGRAMS], nlinks;
    struct bpf_operations operations;
    struct raw_calls raw;
    struct intake intake;
    uint32_t looked_at;                   /* the last task that was looked for; 0: none */
    uint64_t told[LOSTS];                 /* losses that were reported */
    struct bpf_sent sent[BPF_TRACE_SENT]; /* the last ones */
    uint32_t nsent;
};

/* Nothing is traced yet. 0, or a negative errno with err. ring: bytes. */
int bpf_trace_open(struct bpf_trace *s, const struct tracer_setup *setup,
                   const struct syscall_sink *sink, struct tracer_result *result, size_t ring,
                   struct error *err);
void bpf_trace_close(struct bpf_trace *s);

/* --- operations.c --- */

/* Sees operations of io_uring from now on, if this kernel tells them and they are wanted. */
struct programs_setup;
void operations_watch(struct bpf_trace *s, struct programs_setup *setup);
/* How many submissions and completions were missed since the last time. */
uint64_t operations_missed(struct bpf_trace *s);
void operations_end(struct bpf_trace *s);

/* Calls of this task are recorded from now on. */
int bpf_trace_watch(struct bpf_trace *s, pid_t pid, pid_t tid);
/* Whether the task is gone or a zombie. */
bool bpf_trace_has_ended(pid_t pid, pid_t tid);
/* Takes what is in the ring, and waits for no more records. */
void bpf_trace_stop(struct bpf_trace *s);
/* Makes events of some of the records that are there. Returns how many; 0: there are none. */
size_t bpf_trace_drain(struct bpf_trace *s);
/* Tells calls that have not returned for a while, and what was lost; leaves out tasks that ended
 * unseen. */
void bpf_trace_tick(struct bpf_trace *s);
/* The same at the end, when nothing is recorded any more: of all calls that have not returned. */
void bpf_trace_last(struct bpf_trace *s);
bool bpf_trace_idle(const struct bpf_trace *s); /* no task is recorded any more */
