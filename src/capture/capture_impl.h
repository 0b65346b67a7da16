/* What the files of capture share among themselves. */
#pragma once

#include <hsa/hsa.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/utsname.h>

#include "capture/calls.h"
#include "capture/gate.h"
#include "capture/writer/writer.h"
#include "format/control.h"

/* Reads from a code object's ELF file: kernels by address, variables, the bytes at an address. The
 * file is the program's own and the runtime has accepted it; it is still read with bounds checks.
 * Nothing is allocated. */
struct captured_symbol {
    const char *name;       /* of kernels: with .kd */
    uint64_t address, size; /* before relocation */
    bool kernel;            /* else a variable */
};

/* Returns each kernel and variable once; *at is 0 for the first call. False after the last. */
bool code_next_symbol(const void *elf, size_t size, size_t *at, struct captured_symbol *out);
/* The file's len bytes for an address; NULL: not in the file. */
const void *code_bytes_at(const void *elf, size_t size, uint64_t address, size_t len);
/* The size of a kernel's arguments in bytes, from its descriptor; 0: unknown, or none. */
uint32_t code_elf_kernarg_size(const void *elf, size_t size, const struct captured_symbol *kernel);

/* Dates without the C library, which reads time zones from files and allocates. */
enum { DATE_TEXT = 32 };

/* Writes seconds since 1970 (not negative) as ISO 8601: "2026-02-28T23:59:59Z". */
void date_text(int64_t seconds, char out[DATE_TEXT]);

/* Demangles kernel names inside the captured program: nothing is allocated. */

/* Writes the demangled name to out, cut to size; the name itself if it is not C++. Returns out. */
const char *demangle_kernel(const char *name, char *out, size_t size);
/* Makes a folder name from a kernel's name: without parameters, namespaces and template arguments;
 * letters, digits, '_' and '-', at most 60 bytes, never empty. Returns out. */
const char *kernel_file_name(const char *demangled, char out[64]);

/* The kernels that ran, by the address of their descriptor. A repeated lookup takes no lock, so
 * that dispatches that are not captured cost almost nothing. */

/* A name, even if its code was loaded several times. */
struct seen_name {
    const char *mangled, *demangled; /* without .kd; "" if the code object is unknown */
    _Atomic uint64_t dispatches;
    struct control_kernel *row; /* NULL: all rows are taken */
    struct seen_name *next;
};

struct seen {
    uint64_t object, executable;
    struct seen_name *name;
    _Atomic uint64_t verdict; /* request number times 2, plus 1 if it matches */
};

/* Finds or adds a kernel. NULL: no memory, or its name cannot be found. */
struct seen *seen_at(uint64_t object);
/* Forgets the kernels of a destroyed executable: another kernel may get their addresses. */
void seen_executable_gone(uint64_t executable);
void seen_reset(void);

/*
 * librooftop-capture.so, the tools library that the HSA runtime loads into a program
 * (HSA_TOOLS_LIB): what its files share. docs/CAPTURE.md describes how it captures.
 *
 * There are locks for: the kernels seen, the code objects (taken inside the former), the memory,
 * the queues, the request. Each is held only briefly, and none during a call of the runtime. The
 * gate (gate.h) stops the program.
 */
struct tool {
    struct control *control;
    bool by_hand;      /* without rooftop: events are printed to stderr */
    _Atomic bool lost; /* something could not be tracked: captures would be incomplete */
    _Atomic uint32_t plain_queues; /* queues of this process that are not intercepted */
    uint64_t ticks_per_second;     /* of the runtime's clock; 0: not asked yet */
};
extern struct tool tool;

/* Makes every later capture fail with text, which tells what could not be tracked. */
void tool_lose(const char *text);
/* Sends a line to rooftop, or prints it to stderr if `by_hand`. */
void tool_say(const char *text);
uint64_t tool_now_ns(void);
/* Reads this process's memory through the kernel; false if it cannot be read. */
bool tool_peek(void *to, uint64_t address, uint64_t size);

/* Puts our functions into the runtime's tables. */
void hooks_install(const void *root);

/* --- the request that this process knows --- */

/* What to do with a dispatch. */
enum wanted { WANTED_NOT, WANTED_TIMED, WANTED_CAPTURED };
/* Called for each dispatch; counts it. *index: its number among its kernel's dispatches. */
enum wanted request_ask(struct seen *s, uint64_t *index);
/* The current request, copied for the thread that captures. */
struct request_now {
    uint32_t number, timeout_ms;
    bool post;
    char folder[CONTROL_PATH];
};
void request_copy(struct request_now *out);

/* --- interception --- */

struct gate_queue;
void intercept_packets(const void *packets, uint64_t count, uint64_t index, void *data,
                       void (*writer)(const void *packets, uint64_t count));

/* A dispatch that is captured or timed: the packets that replace it, and the steps after they are
 * passed on (gate.h describes the order). */
enum { LAUNCH_PACKETS = 5 }; /* at most, in place of one packet */

struct launch {
    struct launch *next; /* in the same batch */
    uint64_t place;      /* index in the batch */
    struct gate_queue *queue;
    hsa_kernel_dispatch_packet_t packet; /* the program's own packet */
    struct seen *kernel;
    uint64_t index; /* number among the kernel's dispatches */
    enum wanted wanted;
    struct request_now now;
    hsa_signal_t own;                 /* completes in place of the program's signal */
    hsa_signal_t idle, hold;          /* WANTED_CAPTURED: the hold before the dispatch */
    hsa_signal_t flushed, hold_after; /* the hold after it, if now.post */
    bool completed;
    uint64_t gpu_ns;
};

/* Prepares a dispatch; NULL: not possible, which is reported. */
struct launch *catch_new(struct gate_queue *q, const hsa_kernel_dispatch_packet_t *p,
                         struct seen *kernel, uint64_t index, enum wanted wanted);
/* Frees a launch whose packet was passed on unchanged, and reports that. */
void catch_drop(struct launch *l);
/* Writes the packets that replace it; returns their number, at most LAUNCH_PACKETS. */
unsigned catch_packets(const struct launch *l, uint8_t *to);
/*
 * Waits for our own signal and reads the kernel's duration. false: not completed by the deadline.
 */
bool catch_wait(struct launch *l, uint64_t deadline_ns);
/* Completes the program's signal, now or as soon as the kernel ends; frees the launch. */
void catch_end(struct launch *l);

void catch_timed(struct launch *l);
void catch_captured(struct launch *l);

/* A table from numbers to fixed-size records, in memory of its own: it grows by mmap, never by the
 * program's malloc, and without limit. It has no lock. */
struct map {
    size_t record; /* bytes of a record; set before the first use */
    size_t room, used, live;
    uint8_t *slots;
};

/* Converts an address from a number to a pointer. */
static inline void *map_pointer(uint64_t address)
{
    void *p;
    memcpy(&p, &address, sizeof p);
    return p;
}

/* Zeroed memory from the system; NULL: no memory. */
void *map_memory(size_t size);
void map_memory_free(void *memory, size_t size); /* NULL is allowed */

/* The key's record, zeroed if it is new; valid until the next map_put. NULL: no memory. */
void *map_put(struct map *m, uint64_t key);
void *map_get(const struct map *m, uint64_t key); /* NULL: not found */
bool map_remove(struct map *m, uint64_t key);
/* Returns each record once; *at is 0 for the first call. NULL after the last. */
void *map_next(const struct map *m, size_t *at, uint64_t *key);
void map_clear(struct map *m);

/* Code objects: their addresses and their bytes. The bytes are copied when the program passes them
 * to the runtime, because it may free them afterwards. */

/* Reference-counted bytes. */
struct code_copy;
const void *code_data(const struct code_copy *c);
size_t code_size(const struct code_copy *c);
void code_drop(struct code_copy *c); /* NULL is allowed */

/* A loaded code object. A copy of this struct holds a reference to the bytes; release it with
 * code_drop. */
struct captured_object {
    uint64_t executable, loaded; /* handles */
    struct code_copy *code;
    uint64_t base, size; /* address and size; 0: not located yet */
    int64_t delta;       /* its address minus the address in the file */
};

/* The hooks call these. False: no memory (the caller reports it). */
bool objects_reader_memory(uint64_t reader, const void *bytes, size_t size);
bool objects_reader_file(uint64_t reader, int fd);
void objects_reader_gone(uint64_t reader);
bool objects_loaded(uint64_t executable, uint64_t reader, uint64_t loaded);
void objects_executable_gone(uint64_t executable);

/* Finds the loaded object that contains a kernel's address. Asks the runtime's loader. code_drop
 * releases out->code. */
bool objects_at(uint64_t address, struct captured_object *out);
void objects_reset(void);

/* The memory that kernels can access: allocations from the runtime's pools, and mappings into
 * virtual memory. The hooks report changes; a capture lists it. */
void track_allocated(uint64_t pool, const void *memory, uint64_t size);
void track_freed(const void *memory);
/* The program's own memory, which the GPU sees at `seen`. It may be locked several times. */
void track_locked(const void *own, const void *seen, uint64_t size);
void track_unlocked(const void *own);
void track_reserved(const void *va, uint64_t size);
void track_unreserved(const void *va);
void track_created(uint64_t handle, uint64_t pool, uint64_t size);
void track_released(uint64_t handle);
void track_mapped(const void *va, uint64_t size, uint64_t handle);
void track_unmapped(const void *va, uint64_t size);
void track_access(const void *va, uint64_t size, const struct call_vmem_access *access, size_t n);
void track_reset(void);

/* How a region is read. */
struct track_source {
    uint64_t base, size;
    enum { READ_HERE, READ_COPIED, READ_NOT } how;
    uint64_t agent; /* READ_COPIED: the GPU that owns it */
};

/* All memory, sorted, without overlaps, for the capture of a dispatch whose arguments are at
 * kernarg. track_list_free frees it. */
struct track_list {
    struct writer_region *regions;
    struct track_source *sources;
    size_t n, room;
    uint64_t bytes;
};
bool track_list(struct track_list *out, uint64_t kernarg);
void track_list_free(struct track_list *l);
/* The region that contains an address; NULL: none. */
const struct track_source *track_source(const struct track_list *l, uint64_t address);

/* Reads memory while a dispatch is captured. Host memory is read directly. A GPU's memory is copied
 * by that GPU, several copies at once: directly to the destination if the GPU was given access to
 * it, else through memory that both can reach. The runtime's hsa_memory_copy is not used: for
 * virtual memory it may copy on the CPU, and crash if the CPU has no access. */
enum { STAGE_SLOTS = 8 };

struct stage {
    const struct track_list *list;
    uint64_t agent; /* the GPU that runs the dispatch */
    uint64_t cpu;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct stage_slot {
        void *memory; /* NULL: not allocated yet */
        hsa_signal_t done;
        bool busy, broken;
    } slots[STAGE_SLOTS];
    struct stage_lent {      /* each is used by one thread */
        void *memory, *seen; /* its address for us, and for GPUs */
        size_t size;
        hsa_signal_t done;
        bool broken;
    } lent[STAGE_SLOTS];
    int nlent;
};

void stage_open(struct stage *s, const struct track_list *list, uint64_t agent);
/* Gives GPUs access to memory that one thread at a time will read into. If the runtime cannot do
 * this, reads go through a slot. Call it before the first read. */
void stage_lend(struct stage *s, void *memory, size_t size);
/* A capture_read with the stage as ctx. */
int stage_read(void *ctx, void *to, uint64_t address, size_t size, char *why, size_t why_size);
/* Frees the stage. False: a GPU may still write to memory that it was given. */
bool stage_close(struct stage *s);

/* What the files of a capture share: src/capture/snapshot*.c. */
enum { SNAPSHOT_WORDS = 256, SNAPSHOT_WORD_BYTES = 32768 };

/* The state of one capture; too large for the program's stack. */
struct capture_state {
    struct launch *launch;
    struct control_result *row; /* NULL: all rows are taken */
    struct captured_object object;
    bool has_object, drained, after; /* after: the memory that the kernel left was written */
    int code;                        /* errno if files could not be written */
    struct track_list list;
    struct stage stage;
    struct writer_variable *variables;
    size_t nvariables;
    uint8_t *kernarg;
    uint64_t kernarg_size, began_ns;
    struct capture_writer *writer;
    struct writer_dispatch d;
    char path[CONTROL_PATH], why[CONTROL_WHY];
    char agent[64], isa[64], product[64], version[16], time[DATE_TEXT];
    char words[SNAPSHOT_WORD_BYTES];
    const char *command[SNAPSHOT_WORDS + 1];
    struct utsname host;
};

/* Fills d with the contents of dispatch.json: agent, command, launch. */
void snapshot_describe(struct capture_state *s);
