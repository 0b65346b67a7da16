/*
 * Shared by the recorder of system calls (src/recorder, inside programs) and rooftop
 * (src/backends/recorder): rings of records in System V shared memory. That kind of memory needs no
 * descriptor and no path in the program, and the kernel frees it with its last user.
 *
 * One segment is the control. Rings lie in further segments, the chunks, which a program attaches
 * one by one as its tasks need them. A task writes into one ring; a vfork child uses its parent's,
 * and says so with SYSCALL_RING_TASK. A record is complete when its stamp fits its index, so a
 * signal handler may write records while the task is writing another one.
 */
#pragma once

#define SYSCALL_RING_SHIFT   12 /* a ring has 4,096 records; after half of them the bell rings */
#define SYSCALL_RING_RECORDS (1 << SYSCALL_RING_SHIFT)
#define SYSCALL_RING_PAGE    4096 /* of struct syscall_ring, before its records */

/* Offsets that the assembler needs. */
#define SYSCALL_RING_HEAD    0
#define SYSCALL_RING_LIMIT   8
#define SYSCALL_RING_BASE    16
#define SYSCALL_RING_SELF    24
#define SYSCALL_SLOT_NEXT    0
#define SYSCALL_SLOT_RBX     8
#define SYSCALL_SLOT_SHIFT   16
#define SYSCALL_RECORD_SHIFT 6

/* Numbers of calls that no kernel has, with which the recorder talks to its tracer. */
#define SYSCALL_RING_HELLO 0x0f526f00

#ifndef __ASSEMBLER__
#include <stdint.h>

enum {
    SYSCALL_RING_MAGIC = 0x526f4653,
    SYSCALL_RING_VERSION = 3,
    SYSCALL_RING_PER_CHUNK = 16,
    SYSCALL_RING_CHUNKS = 1024,
    SYSCALL_RING_SLOTS = 8,          /* depth of nested vforks */
    SYSCALL_RING_PLAN = 256,         /* files mapped executable at the start of a program */
    SYSCALL_RING_SITE_BYTES = 22,    /* longest call site */
    SYSCALL_RING_SITES = 256 * 1024, /* in the segment of sites */
    SYSCALL_RING_PATH = 1024,
    SYSCALL_RING_CALLS = 512,  /* limit of the numbers of calls that the hook knows */
    SYSCALL_RING_COPIES = 768, /* rows of struct syscall_copy */
    SYSCALL_RING_INLINE = 24,  /* bytes of memory in the record itself; more are in the next */
};

enum syscall_record_kind {
    SYSCALL_RING_ENTRY, /* data: the six arguments */
    SYSCALL_RING_EXIT,  /* data: result, index of its entry, tsc when the kernel got the call (0:
                           that  of the entry) */
    SYSCALL_RING_TASK,  /* the records that follow are of this task. data: tid, pid, parent's tid,
                           clone flags (0: the task already existed) */
    SYSCALL_RING_DISPATCH, /* the next entry came by user dispatch. data: address after the site */
    SYSCALL_RING_BYTES,    /* memory that an argument points to. number: enum syscall_bytes, and the
                              number of its records, this one included, shifted by 8. data: index of
                              the entry, address, bytes, the first 24 of them. The others fill the
                              records that follow, which have no stamp. */
};

/* Facts about a piece of memory. */
enum syscall_bytes {
    SYSCALL_BYTES_RETURN = 1, /* as it was at the return of the call */
    SYSCALL_BYTES_TEXT = 2,   /* part of a text, which continues the previous part */
    SYSCALL_BYTES_WHOLE = 4,  /* the text's NUL is the last byte */
    SYSCALL_BYTES_CUT = 8,    /* the text is longer, and its last byte is beyond the limit */
    SYSCALL_BYTES_BAD = 16,   /* the text could not be read up to its NUL */
};

/* How much memory an argument points to. */
enum syscall_copy_how {
    SYSCALL_COPY_FIXED,    /* max bytes */
    SYSCALL_COPY_LENGTH,   /* `more` bytes + `unit` bytes * args[other] */
    SYSCALL_COPY_RESULT,   /* the same with the result in place of args[other] */
    SYSCALL_COPY_POINTED,  /* as many bytes as the 32-bit number at args[other] */
    SYSCALL_COPY_BITS,     /* whole words for args[other] bits */
    SYSCALL_COPY_PAGES,    /* a byte for each page of args[other] bytes */
    SYSCALL_COPY_TEXT,     /* up to its NUL */
    SYSCALL_COPY_VECTOR,   /* args[other] of struct iovec, and max bytes of each buffer */
    SYSCALL_COPY_MESSAGE,  /* struct msghdr, likewise */
    SYSCALL_COPY_MESSAGES, /* args[other] of struct mmsghdr */
    SYSCALL_COPY_STRINGS,  /* like argv: addresses up to a NULL, and the texts */
    SYSCALL_COPY_POINTERS, /* like envp: addresses up to a NULL */
    SYSCALL_COPY_SET,      /* address and size of a set of signals, and the set */
    SYSCALL_COPY_CLONE,    /* struct clone_args, and the memory that the kernel wrote for it */
    SYSCALL_COPY_LOCK,     /* max bytes, for commands of fcntl that take an address */
    SYSCALL_COPY_TIMEOUT,  /* max bytes, for operations of futex that wait */
};

/* An argument of a call to copy, never more than max bytes at an address. */
struct syscall_copy {
    uint8_t how; /* enum syscall_copy_how */
    uint8_t arg, other;
    uint8_t when; /* 1 at the entry, 2 at the return, 3 at both */
    uint16_t unit, more;
    uint32_t max;
};

/* stamp: kind in bits 0..2, (index + 1) modulo 2^29 above. Written last, with the number. */
struct syscall_record {
    uint32_t number, stamp;
    uint64_t tsc, data[6];
};

static inline uint32_t syscall_record_stamp(uint64_t index, enum syscall_record_kind kind)
{
    return (uint32_t)(index + 1) << 3 | (uint32_t)kind;
}

/* Data for a task after the call that made it: where to go on, and the registers that the call
 * destroyed. */
struct syscall_slot {
    uint64_t next, rbx;  /* the continuation of the call site; the program's rbx */
    uint64_t shift;      /* added to the stack pointer */
    uint64_t mask;       /* blocked signals before the call */
    uint64_t flags;      /* of clone */
    uint64_t entry, tsc; /* index of the entry record */
    uint32_t tid, pid, number, depth;
    /* SIGSYS of the maker of a vfork child: whether it is blocked, and its action */
    uint32_t sigsys_blocked;
    uint64_t sigsys_action[5];
};

/* A task's request to rooftop. The task waits on `want` until that is 0 again. */
enum syscall_want {
    SYSCALL_WANT_NOTHING,
    SYSCALL_WANT_ATTACH, /* before an execve: attach to it. ask: path, dirfd (AT_FDCWD), flags.
                            answer: 1 attached, 0 not */
    SYSCALL_WANT_ASIDE,  /* trace this process with ptrace. answer: 1 done */
    SYSCALL_WANT_SITES,  /* find call sites of the file mapped at ask[0]. answer: 1, with `part` */
};

/* One file mapped executable, and its call sites: a range of the segment of sites. */
struct syscall_part {
    uint64_t from, to;   /* the mapping */
    uint64_t bias;       /* address of a site minus its offset */
    uint64_t trampoline; /* free address range near it for the trampolines, 64 bytes a site */
    uint32_t first, n;
};

struct syscall_site {
    uint32_t offset; /* offset in the file */
    /* Bytes of whole instructions before and after `syscall`, moved to the trampoline with it. */
    uint8_t before, after;
    uint8_t bytes[SYSCALL_RING_SITE_BYTES]; /* the original bytes */
};

/* The plan of a program: rooftop writes it while the program is stopped at its hello. */
struct syscall_plan {
    uint32_t ready, nparts;
    struct syscall_part parts[SYSCALL_RING_PLAN];
};

/* A ring: this page, then its records. The first lines belong to the task. */
struct syscall_ring {
    uint64_t head;                     /* index of the next record */
    uint64_t limit;                    /* indices below it are written without checking the tail */
    uint64_t base;                     /* address of the records, in the program */
    uint64_t self;                     /* address of this, in the program */
    uint32_t number;                   /* number of this ring */
    uint32_t depth;                    /* depth of vforks */
    int32_t pid, tid;                  /* numbers of the owner, in its own pid namespace */
    int32_t parent;                    /* tid of its maker */
    uint32_t flags;                    /* flags of clone */
    uint32_t attached;                 /* rooftop traces this task since an execve that failed */
    uint32_t sigsys_blocked;           /* whether the program has SIGSYS blocked */
    uint64_t text_from, text_to, pass; /* the hook's code; pass: its call that is not recorded */
    uint64_t environment, environment_size;        /* memory for the environment of execve */
    uint64_t stack_from, stack_to;                 /* the task's stack; 0: unknown */
    struct syscall_slot slots[SYSCALL_RING_SLOTS]; /* of vfork */
    struct syscall_slot child;                     /* the begin of this ring's task */
    _Alignas(128) uint64_t tail;                   /* rooftop's index of the next record to read */
    uint32_t waiting, room;                        /* the task waits for `room` to change */
    uint32_t want;                                 /* enum syscall_want */
    uint32_t answer;
    uint64_t ask[4];
    struct syscall_part part;
    uint64_t lost; /* not 0: records were not written, because rooftop had ended */
};

enum syscall_ring_state {
    SYSCALL_RING_FREE,
    SYSCALL_RING_TAKEN, /* being prepared */
    SYSCALL_RING_USED,
    SYSCALL_RING_ENDED /* its task has ended */
};

struct syscall_control {
    uint32_t magic, version;
    int32_t rooftop; /* pid */
    uint32_t beat;   /* changes all the time while rooftop runs */
    uint32_t bell;   /* a futex: there is something to read or answer */
    uint32_t asleep; /* rooftop waits for the bell */
    uint32_t chunks; /* number of chunks; a futex */
    uint32_t chunk_wanted;
    uint32_t hint;  /* probably no ring below this is free */
    uint32_t muted; /* number of tasks that got no ring */
    /* The rows of memory to copy for call n are copies_from[n] to copies_from[n + 1]. */
    uint16_t copies_from[SYSCALL_RING_CALLS + 1];
    struct syscall_copy copies[SYSCALL_RING_COPIES];
    uint32_t gone; /* a task found that rooftop was killed, so no task waits for it */
    uint32_t patched, lone, dispatched; /* numbers of sites; of calls by user dispatch */
    int32_t sites_id;                   /* segment of struct syscall_site */
    int32_t chunk_ids[SYSCALL_RING_CHUNKS];
    uint32_t states[SYSCALL_RING_CHUNKS * SYSCALL_RING_PER_CHUNK];
    char library[SYSCALL_RING_PATH]; /* path of the recorder */
};

#define SYSCALL_RING_SIZE     (SYSCALL_RING_PAGE + SYSCALL_RING_RECORDS * sizeof(struct syscall_record))
#define SYSCALL_RING_VARIABLE "ROOFTOP_RECORDER" /* the identifier of the control, decimal */

_Static_assert(sizeof(struct syscall_ring) <= SYSCALL_RING_PAGE, "a ring has one page");
_Static_assert(sizeof(struct syscall_record) == 1 << SYSCALL_RECORD_SHIFT, "a cache line");
_Static_assert(__builtin_offsetof(struct syscall_ring, limit) == SYSCALL_RING_LIMIT, "limit");
_Static_assert(__builtin_offsetof(struct syscall_ring, base) == SYSCALL_RING_BASE, "base");
_Static_assert(__builtin_offsetof(struct syscall_ring, self) == SYSCALL_RING_SELF, "self");
_Static_assert(__builtin_offsetof(struct syscall_slot, rbx) == SYSCALL_SLOT_RBX, "rbx");
_Static_assert(__builtin_offsetof(struct syscall_slot, shift) == SYSCALL_SLOT_SHIFT, "shift");

#endif
