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

/* Shared by the kernel's programs and rooftop: records, the state of a task, plans. */

enum record_kind {
    RECORD_ENTRY,  /* entry of a call, with the memory that it will read */
    RECORD_CALL,   /* a call that returned */
    RECORD_START,  /* tid, pid: the new task; number, abi: the maker's call; args: START_* */
    RECORD_EXEC,   /* args[0]: former tid; memory: the program's path, its arguments */
    RECORD_EXIT,   /* result: status; args[0]: peak of resident memory in pages. begin_ns etc.: the
                      call that the task was in */
    RECORD_SIGNAL, /* delivered. result: number; args: the first 48 bytes of siginfo_t; number: 1
                      if the program has no handler */
    RECORD_SENT,   /* the same for a signal that was sent */
    RECORD_SUBMITTED, /* an operation of io_uring. args: OPERATION_* */
    RECORD_COMPLETED  /* its completion, in any task */
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
    uint64_t stack_pointer; /* at the entry; follows the arguments: ARG_STACK is its number */
    /* Pieces of memory follow, each a struct piece and its bytes, rounded up to 8. */
};
struct piece {
    uint64_t address;
    uint32_t size;
    uint32_t again; /* memory of the entry that was read at the return */
};

/* A value of the map of tasks; its key is the tid. */
enum task_phase { PHASE_NONE, PHASE_CALL, PHASE_UNWANTED };
struct task_state {
    uint64_t begin_ns;
    uint64_t args[6];
    uint64_t stack_pointer;
    uint32_t number;
    uint8_t abi, phase;
    uint8_t fresh; /* the next return comes without an entry */
    uint8_t again; /* memory of the entry could not be read */
    uint32_t pid;
    uint8_t alone;    /* no other task shares its memory, so none changes it during a call */
    uint8_t late;     /* memory of the entry is read at the return */
    uint16_t scratch; /* index of the last one that it took */
    uint64_t floor;   /* resident pages from before its program */
};

/* How to read the memory of one argument. */
enum op_kind {
    OP_BYTES,   /* max bytes */
    OP_STRING,  /* up to its NUL, max bytes */
    OP_LENGTH,  /* args[other] * scale bytes */
    OP_RESULT,  /* result * scale bytes */
    OP_VECTOR,  /* an iovec of args[other] (or scale, if not 0) elements, and their buffers */
    OP_MESSAGE, /* a struct msghdr and the memory that it points to */
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
    uint8_t
        by_command; /* memory matters only for these commands, a bit each; may matter above 63 */
    /* late: the entry's memory may be read at the return, if the task is alone, so that one record
     * is enough: the call does not write to it. If path and out are set, these arguments must be
     * far apart. */
    uint8_t late, path, out;
    uint8_t spare;
    uint64_t entry_commands, return_commands;       /* bits of commands, the second argument */
    struct op entry[PLAN_OPS], at_return[PLAN_OPS]; /* those of the entry are at the end */
};

/* DATA_MOST: a record with this many bytes gets no further piece. PIECE_MOST: bytes of a piece; as
 * an event keeps of a string (TEXT_MOST) and a few more that show whether it ends there. */
enum {
    DATA_MOST = 64 * 1024,
    TEXT_MOST = 32 * 1024,
    PIECE_MOST = TEXT_MOST + 64,
    VECTOR_MOST = 32,
    STRINGS_MOST = 96
};
/* Space in which a record with memory is built, one for each CPU. A task keeps the one that it took
 * until the record is sent, because it may be preempted and go on on another CPU. */
struct scratch {
    uint64_t used, vector; /* bytes of data; offset of an iovec in it */
    uint64_t again, failed;
    uint64_t limit, address; /* limit of strings; address of an array */
    uint32_t plan;           /* the call's index in the map of plans */
    uint32_t first, nops;    /* the operations of the plan to do */
    uint32_t owner;          /* tid; 0: free */
    struct record record;
    uint8_t data[DATA_MOST + PIECE_MOST + 64];
};

enum { LOST_CALLS, LOST_MEMORY, LOST_OTHERS, LOSTS };

/* The kernel's BPF ring buffer, read without waiting for it. */

struct ring {
    int map;
    size_t size;        /* bytes of data, a power of two */
    uint64_t *consumer; /* a page that rooftop writes */
    uint8_t *pages;     /* producer's page, then the data */
};

/* Makes a ring for programs to write. size: a power of two of whole pages. 0 or -errno. */
int ring_make(struct ring *r, size_t size);
/* Makes its data readable. 0 or -errno. */
int ring_map(struct ring *r);
void ring_close(struct ring *r);

/* Gives the available records to `take`, one after the other, up to one that is still being
 * written. A record of `whole` bytes that wraps around the end of the ring comes in two parts.
 * Returns the number of bytes taken. */
size_t ring_read(struct ring *r,
                 void (*take)(void *ctx, const void *part, size_t n, size_t whole, bool first),
                 void *ctx);

/* Empties the ring faster than rooftop can process its records: a separate thread copies them into
 * a queue, first in memory, then in a temporary file. So no call is lost if the program makes calls
 * faster than rooftop writes them. */

enum { INTAKE_SPARE = 4 };
struct intake_chunk {
    uint8_t *bytes; /* NULL: the chunk is in the file */
    off_t at;
    size_t n;
};

struct intake {
    struct ring *ring;
    pthread_t thread;
    pthread_mutex_t lock; /* protects the members below */
    bool running, stop;
    int wake;                  /* an eventfd that makes the thread read now */
    struct intake_chunk *list; /* the queue: from first to n */
    size_t first, n, cap;
    size_t in_memory; /* bytes */
    int file;         /* -1: not made yet */
    off_t file_end;
    uint64_t lost; /* number of records that did not fit in the file */
    /* Chunks of CHUNK bytes for reuse, because their pages already exist. */
    uint8_t *spare[INTAKE_SPARE];
    size_t nspare;
    /* For the thread only. */
    uint8_t *chunk;
    size_t used, cap_chunk;
    /* For the reader only. */
    uint8_t *from_file;
    size_t from_file_cap;
};

/* Returns 0 or -errno. */
int intake_start(struct intake *in, struct ring *ring);
/* Takes the records that are now in the ring and ends the thread. The queue stays. */
void intake_stop(struct intake *in);
void intake_free(struct intake *in);
/* Gives the whole records of the next chunk to `take`. Returns their number; 0: the queue is empty.
 */
size_t intake_take(struct intake *in, void (*take)(void *ctx, const uint8_t *record, size_t n),
                   void *ctx);

/* The kernel's bpf(2): maps and programs. Descriptors are closed by their owner. */

struct code;

/* Returns a descriptor or -errno. type: BPF_MAP_TYPE_... */
int kernel_map(unsigned type, uint32_t key, uint32_t value, uint32_t entries, uint32_t flags);
int kernel_map_set(int map, const void *key, const void *value);
int kernel_map_get(int map, const void *key, void *value);
int kernel_map_drop(int map, const void *key);
/* The key after this one; key NULL: the first. -ENOENT at the end. */
int kernel_map_next(int map, const void *key, void *next);
/* Number of CPUs that the kernel supports, which per-CPU maps have values for. */
uint32_t kernel_cpus(void);
/* Loads the types that programs with functions need. Returns a descriptor or -errno. The arguments
 * of functions that stand alone are a pointer to `size` bytes and two numbers. */
int kernel_types_load(uint32_t size);
/* Loads a program for raw tracepoints. types: of kernel_types_load, or -1. why (may be NULL)
 * receives the verifier's objection. */
int kernel_program(const struct code *c, int types, char *why, size_t size);
/* Attaches a program, which runs until the returned descriptor is closed. */
int kernel_attach(int program, const char *tracepoint);
/* How often the kernel did not run the program because it already ran on that CPU. */
uint64_t kernel_program_missed(int program);

/* Writes programs for the kernel's BPF machine, instruction by instruction. Registers R0 to R10;
 * jumps go to labels, which may be placed later; functions are called by label too. */

enum { CODE_MAX = 1024, CODE_LABELS = 128, CODE_FUNCTIONS = 8 };
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

struct code {
    struct bpf_insn list[CODE_MAX];
    size_t n;
    int16_t to[CODE_MAX];        /* for each instruction, 1 + the label that it jumps to; 0: none */
    int16_t labels[CODE_LABELS]; /* place of each label; -1: not placed */
    int nlabels;
    uint32_t
        functions[CODE_FUNCTIONS]; /* begin of each function; the first is the program itself */
    uint32_t nfunctions;
    bool stands_alone[CODE_FUNCTIONS]; /* see code_function_alone */
    bool full;
};

void code_start(struct code *c); /* empties c */
/* Makes a label, which must be placed once, now or later. */
int code_label(struct code *c);
void code_place(struct code *c, int label);
void code_function(struct code *c, int label); /* a function begins here */
/* The same for a function that the kernel verifies once, not at each call. It knows only the types
 * of the arguments (kernel_types_load), so R1 may be NULL. */
void code_function_alone(struct code *c, int label);
/* Fills in the jumps. False: a label was not placed, or there are too many instructions. */
bool code_finish(struct code *c);

/* register = register or number; register += ... (op: BPF_ADD, BPF_AND, ...); 64 and 32 bits */
void put_mov(struct code *c, int to, int from);
void put_mov_number(struct code *c, int to, int32_t number);
void put_mov32(struct code *c, int to, int from);
void put_alu(struct code *c, int op, int to, int from);
void put_alu_number(struct code *c, int op, int to, int32_t number);
/* to = memory at base + offset, and stores. size: BPF_B, BPF_H, BPF_W, BPF_DW */
void put_load(struct code *c, int size, int to, int base, int offset);
void put_store(struct code *c, int size, int base, int offset, int from);
void put_store_number(struct code *c, int size, int base, int offset, int32_t number);
/* Jump to the label: always; if a op b; if a has any of the bits. op: BPF_JEQ, BPF_JNE, BPF_JGT,
 * BPF_JSLE, ...; comparisons are unsigned unless their name has an S. */
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

/* Offsets of members in the running kernel's structures, from its BTF. */

/* Offsets in bytes; -1: the kernel has no such member. */
struct kernel_types {
    int task_pid, task_tgid, task_exit_code, task_signal, task_mm, task_status;
    int signal_flags, signal_code, signal_maxrss;
    int mm_arg_start, mm_arg_end;
    int mm_rss, mm_rss_peak, counter_count,
        counter_size; /* -1: only peaks above that of rooftop are known */
    /* of struct io_kiocb; in its completion; arguments of the tracepoint io_uring_complete */
    int request_ring, request_opcode, request_flags, request_data, complete_arguments;
    int program_name; /* of struct linux_binprm */
};

/* Returns 0, or -errno if there is no BTF or it lacks a needed member. */
int kernel_types_read(struct kernel_types *out);

/* The programs that run in the kernel, one for each raw tracepoint. */

struct programs_setup {
    int tasks, plans, scratch, ring, lost; /* maps */
    int memory_program;                    /* the map with that program at index 0 */
    int rings;                             /* a map of the traced tasks' io_uring rings */
    bool follow; /* also trace child processes; threads are always traced */
    bool memory; /* keep the memory that arguments point to */
    struct kernel_types types;
};

struct program {
    const char *tracepoint;
    bool calls;   /* it is about calls, not tasks */
    bool signals; /* not needed for sums */
    bool newer;   /* some kernels lack the tracepoint; not needed for sums either */
    void (*write)(struct code *c, const struct programs_setup *s);
};
/* Ended by a NULL tracepoint. They must be attached in this order: tasks before calls. */
extern const struct program programs[];

/* What the files that write the kernel's programs share. Each put_… appends instructions to c. All
 * programs use these registers: R7 is the pid and tid of the current task, R8 its struct
 * task_state, R9 the record or scratch that is being filled. R0 to R5 change with each call of a
 * helper. If a step fails, the program goes on at a label such as `none` or `out`. */

/* Registers that keep their values across calls: R6 to R9. Below FP is the stack. */
#define TASK(member)    ((int)offsetof(struct task_state, member))
#define RECORD(member)  ((int)offsetof(struct record, member))
#define SCRATCH(member) ((int)offsetof(struct scratch, member))
#define IN_SCRATCH(m)   (SCRATCH(record) + RECORD(m))
#define ARG(i)          (8 * (i))

/* The stack of the programs. */
enum {
    STACK_KEY = -8,
    STACK_REGS = STACK_KEY - 104,     /* registers of the program */
    STACK_SMALL = STACK_REGS - 16,    /* bp and bx; values of the kernel */
    STACK_CONTEXT = STACK_SMALL - 32, /* context of a callback */
    STACK_PLAN = STACK_CONTEXT + 16,  /* the plan, and its number of operations */
    STACK_OPS = STACK_CONTEXT + 24, /* numbers of operations: at the return or all, at the entry */
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
/* R9 = the scratch that the task of R7 and R8 took, unchanged. */
void put_find_scratch(struct code *c, const struct programs_setup *s, int none);
/* Does the operations of the plan R0 that the scratch R9 names, each by the function `callback`. */
void put_run_ops(struct code *c, int callback);
/* R9 = the scratch of this CPU, emptied and taken by the task of R7 and R8, with the head of a
 * record of that kind. */
void put_open_scratch(struct code *c, const struct programs_setup *s, int kind, int none);
/* Goes to `without` if the plan in R0 says that this command of the call has no memory. mask: the
 * offset of the commands in struct plan. */
void put_choose_command(struct code *c, int mask, int without);
/* Does R1 operations of the plan at STACK_PLAN, from number R2 on, with the record in the scratch
 * R9, and sends it, by going on in program_memory. Without that program, sends the record without
 * memory. */
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
/* Each writes a function, whose registers its file describes. */
void function_append(struct code *c);
void function_append_string(struct code *c, int reader);
void function_names(struct code *c, struct functions *f);
void functions_put(struct code *c, const struct functions *f);

/* --- the programs, listed in `programs` --- */
void program_enter(struct code *c, const struct programs_setup *s);
void program_exit(struct code *c, const struct programs_setup *s);
void program_memory(struct code *c, const struct programs_setup *s);
void program_newtask(struct code *c, const struct programs_setup *s);
void program_task_exit(struct code *c, const struct programs_setup *s);
void program_before_exec(struct code *c, const struct programs_setup *s);
void program_exec(struct code *c, const struct programs_setup *s);
void program_signal(struct code *c, const struct programs_setup *s);
void program_sent(struct code *c, const struct programs_setup *s);

/* Plans: which calls are wanted, and which memory of the program is read for each. */

/* Fills the PLANS plans. */
void plans_fill(struct plan *plans, const struct tracer_setup *setup);

/*
 * Makes events of engine/syscalls/event.h from the records about calls and tasks.
 *
 *     struct raw_calls r;
 *     raw_calls_open(&r, ...);
 *     raw_calls_started(&r, ...);              // the command, or an attached process
 *     raw_calls_entered/left/...(&r, ...);     // record after record
 *     raw_calls_close(&r);                     // unfinished calls, remaining tasks
 *
 * Records may be missing: a return without its entry, an end of an unknown task. An event never
 * contains more than its record. All functions belong to one thread, that of the sink.
 */

/* Whether the kernel's records have our numbers of processes: rooftop runs in no container with its
 * own pids. */
bool raw_calls_pids_are_ours(void);

struct raw_task;

struct raw_calls {
    const struct tracer_setup *setup;
    const struct syscall_sink *sink;
    struct tracer_result *result; /* counts calls, lost, unfinished and rings */
    struct task_table tasks;      /* struct raw_task */
};

void raw_calls_open(struct raw_calls *r, const struct tracer_setup *setup,
                    const struct syscall_sink *sink, struct tracer_result *result);
void raw_calls_close(struct raw_calls *r);

/* The start of a task. */
struct raw_start {
    int32_t pid, tid, parent; /* parent: tid of the maker, 0 unknown */
    uint64_t ns, flags;       /* clone flags */
    const char *name;         /* NULL: as /proc says */
    bool prelude;             /* it runs rooftop's code, so only its execve counts */
};
void raw_calls_started(struct raw_calls *r, const struct raw_start *s);

/* The entry of a call: tid, pid, abi, number, begin_ns, args. m: the memory of the program at the
 * entry; NULL: unknown. A second entry of the same call, by its begin_ns, only adds memory. */
void raw_calls_entered(struct raw_calls *r, const struct syscall_event *call,
                       const struct syscall_memory *m);
/* The entry of a call that has returned, just before raw_calls_left: makes no event of its own. */
void raw_calls_entered_late(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m);
/* Adds memory of the call's entry that could not be read before. */
void raw_calls_entry_memory(struct raw_calls *r, const struct syscall_event *call,
                            const struct syscall_memory *m);
/* The return of a call: the members of its entry, result and end_ns. */
void raw_calls_left(struct raw_calls *r, const struct syscall_event *call,
                    const struct syscall_memory *m);
/* An operation of io_uring: tid and pid of the submitter, number, begin_ns, end_ns, args, result;
 * flags SYSCALL_UNFINISHED: its completion was not seen. */
void raw_calls_operation(struct raw_calls *r, const struct syscall_event *operation);
/* The task executed another program. former: the tid that called execve. line: path and arguments,
 * each ended by NUL. */
void raw_calls_executed(struct raw_calls *r, int32_t tid, int32_t former, uint64_t ns,
                        const char *line, size_t n);
/* Call it before raw_calls_executed: adds texts of the execve that could not be read at its entry,
 * from the new program's interpreter (or path) and arguments, each ended by NUL. */
void raw_calls_exec_memory(struct raw_calls *r, int32_t former, const char *interpreter,
                           const char *arguments, size_t n);
/* status: as wait(2) gives it, -1: unknown. resident: peak of the process in bytes, 0: unknown.
 * Reports the end of a process's first thread when its last one ends. */
void raw_calls_ended(struct raw_calls *r, int32_t tid, uint64_t ns, int64_t status,
                     uint64_t resident);
void raw_calls_signalled(struct raw_calls *r, int32_t tid, uint64_t ns, const siginfo_t *info);
void raw_calls_paused(struct raw_calls *r, int32_t tid, uint64_t ns, int signo);
/* Adds n lost calls. */
void raw_calls_lost(struct raw_calls *r, uint64_t n, uint64_t ns);

/* Joins the tracepoints of submission and completion of operations of io_uring, which are no system
 * calls: a program makes a few calls for many operations. */

struct operation; /* a submitted operation that is not completed */

struct operations { /* zeroed: empty */
    struct operation *list;
    size_t n, used, cap;             /* used: entries of list, including free ones */
    uint32_t *heads;                 /* newest of each chain; 1 + index, 0: none */
    uint32_t newest, oldest, unused; /* unused: the first free entry */
};

/* r: RECORD_SUBMITTED. */
void operations_submitted(struct operations *o, struct raw_calls *raw, const struct record *r);
/* r: RECORD_COMPLETED, of any task: the kernel may complete an operation in any task. */
void operations_completed(struct operations *o, struct raw_calls *raw, const struct record *r);
/* Reports the remaining ones as unfinished, and frees. */
void operations_close(struct operations *o, struct raw_calls *raw, uint64_t ns);

/* A trace by BPF: maps, programs, the ring, and the events of its records. */

enum { BPF_TRACE_PROGRAMS = 10, BPF_TRACE_RING = 8 << 20, BPF_TRACE_SENT = 64 };

/* A signal that was sent to a process but not delivered. The kernel does not report the delivery of
 * one that ends the process. */
struct bpf_sent {
    int32_t pid;
    siginfo_t info;
};

/* Operations of io_uring. */
enum { OPERATION_PROGRAMS = 2 };
struct bpf_operations {
    int rings;                        /* a map; -1: none */
    int programs[OPERATION_PROGRAMS]; /* -1: none */
    uint64_t missed;                  /* submissions and completions that were reported as missed */
    struct operations open;
};

struct bpf_trace {
    const struct tracer_setup *setup;
    struct ring ring;
    int tasks, plans, scratch, lost; /* maps; -1: none */
    uint32_t cpus;                   /* number of values in per-CPU maps */
    int types;                       /* types of the programs' functions */
    int memory_program;              /* the map with the program in which others go on */
    int links[BPF_TRACE_PROGRAMS], nlinks;
    struct bpf_operations operations;
    struct raw_calls raw;
    struct intake intake;
    uint32_t looked_at;                   /* the last task that was checked; 0: none */
    uint64_t told[LOSTS];                 /* losses reported so far */
    struct bpf_sent sent[BPF_TRACE_SENT]; /* the last ones */
    uint32_t nsent;
};

/* Prepares a trace, still of no task. Returns 0, or a negative errno with err. ring: bytes. */
int bpf_trace_open(struct bpf_trace *s, const struct tracer_setup *setup,
                   const struct syscall_sink *sink, struct tracer_result *result, size_t ring,
                   struct error *err);
void bpf_trace_close(struct bpf_trace *s);

/* --- operations.c --- */

/* Begins to trace operations of io_uring, if the kernel reports them and they are wanted. */
struct programs_setup;
void operations_watch(struct bpf_trace *s, struct programs_setup *setup);
/* How many submissions and completions were missed since the last time. */
uint64_t operations_missed(struct bpf_trace *s);
void operations_end(struct bpf_trace *s);

/* Begins to record the calls of this task. */
int bpf_trace_watch(struct bpf_trace *s, pid_t pid, pid_t tid);
/* Whether the task is gone or a zombie. */
bool bpf_trace_has_ended(pid_t pid, pid_t tid);
/* Takes the remaining records of the ring; later ones are ignored. */
void bpf_trace_stop(struct bpf_trace *s);
/* Makes events of some of the available records. Returns their number. */
size_t bpf_trace_drain(struct bpf_trace *s);
/* Reports calls that have not returned for a while, and losses; removes tasks that ended unseen. */
void bpf_trace_tick(struct bpf_trace *s);
/* The same at the end of recording, for all calls that have not returned. */
void bpf_trace_last(struct bpf_trace *s);
bool bpf_trace_idle(const struct bpf_trace *s); /* no task is left to record */
