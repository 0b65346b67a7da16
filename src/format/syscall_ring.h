/*
 * What the recorder of system calls (src/recorder, inside programs) and rooftop
 * (src/backends/recorder) share: rings of records in System V shared memory. That kind of memory
 * needs no descriptor and no path in the program, and the kernel frees it with its last user.
 *
 * One segment is the control. Rings lie in further segments, the chunks, which a program attaches
 * one by one as its tasks need them. A task writes into one ring; a vfork child uses its parent's,
 * and says so with SYSCALL_RING_TASK. A record is free to be read when its stamp is the one that
 * its index has, so a signal handler may write records while the task is within another record.
 */
#pragma once

#define SYSCALL_RING_SHIFT   12 /* records of a ring: 4,096, half of it is written without a bell */
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

/* Calls that no kernel has: with them the recorder talks to the tracer that it runs under. */
#define SYSCALL_RING_HELLO 0x0f526f00

#ifndef __ASSEMBLER__
#include <stdint.h>

enum {
    SYSCALL_RING_MAGIC = 0x526f4653,
    SYSCALL_RING_VERSION = 3,
    SYSCALL_RING_PER_CHUNK = 16,
    SYSCALL_RING_CHUNKS = 1024,
    SYSCALL_RING_SLOTS = 8,          /* vfork within vfork */
    SYSCALL_RING_PLAN = 256,         /* files mapped executable at the start of a program */
    SYSCALL_RING_SITE_BYTES = 22,    /* longest call site */
    SYSCALL_RING_SITES = 256 * 1024, /* in the segment of sites */
    SYSCALL_RING_PATH = 1024,
    SYSCALL_RING_CALLS = 512,  /* numbers of calls that the hook knows */
    SYSCALL_RING_COPIES = 768, /* rows of what is copied */
    SYSCALL_RING_INLINE = 24,  /* bytes of memory in the record itself; more are in the next ones */
};

enum syscall_record_kind {
    SYSCALL_RING_ENTRY, /* data: the six arguments */
    SYSCALL_RING_EXIT,  /* data: result, index of its entry, tsc when the kernel got the call (0:
                           that  of the entry) */
    SYSCALL_RING_TASK,  /* the records that follow are of this task. data: tid, pid, parent's tid,
                           clone flags (0: the task was there before) */
    SYSCALL_RING_DISPATCH, /* the next entry came by user dispatch. data: address behind the site */
    SYSCALL_RING_BYTES,    /* memory that an argument points to. number: enum syscall_bytes, and the
                              records that this one has, itself included, shifted by 8. data: index of
                              the entry, address, bytes, the first 24 of them. The others fill the
                              records that follow, which have no stamp. */
};

/* What is known of a piece of memory. */
enum syscall_bytes {
    SYSCALL_BYTES_RETURN = 1, /* as it was at the return of the call */
    SYSCALL_BYTES_TEXT = 2,   /* part of a text, which goes on where the part before ended */
    SYSCALL_BYTES_WHOLE = 4,  /* the text's NUL is the last byte */
    SYSCALL_BYTES_CUT = 8,    /* the text goes on, and its last byte is one too many */
    SYSCALL_BYTES_BAD = 16,   /* the text could not be read up to its NUL */
};

/* How much memory an argument points to. */
enum syscall_copy_how {
    SYSCALL_COPY_FIXED,    /* max bytes */
    SYSCALL_COPY_LENGTH,   /* `more` bytes, and `unit` bytes for each that args[other] counts */
    SYSCALL_COPY_RESULT,   /* the same, but the result counts */
    SYSCALL_COPY_POINTED,  /* bytes that the 32-bit number at args[other] says */
    SYSCALL_COPY_BITS,     /* whole words for args[other] bits */
    SYSCALL_COPY_PAGES,    /* a byte for each page of args[other] bytes */
    SYSCALL_COPY_TEXT,     /* up to its NUL */
    SYSCALL_COPY_VECTOR,   /* args[other] of struct iovec, and max bytes of what each points to */
    SYSCALL_COPY_MESSAGE,  /* struct msghdr, likewise */
    SYSCALL_COPY_MESSAGES, /* args[other] of struct mmsghdr */
    SYSCALL_COPY_STRINGS,  /* like argv: addresses up to a NULL, and the texts */
    SYSCALL_COPY_POINTERS, /* like envp: addresses up to a NULL */
    SYSCALL_COPY_SET,      /* address and size of a set of signals, and the set */
    SYSCALL_COPY_CLONE,    /* struct clone_args, and what the kernel wrote by it */
    SYSCALL_COPY_LOCK,     /* max bytes, for commands of fcntl that take an address */
    SYSCALL_COPY_TIMEOUT,  /* max bytes, for operations of futex that wait */
};

/* One argument of one call that is copied, never more than max bytes at a place. */
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

/* What a task needs after a call that made it: where to go on, and what the call destroyed. */
struct syscall_slot {
    uint64_t next, rbx;  /* the continuation of the call site; the program's rbx */
    uint64_t shift;      /* added to the stack pointer */
    uint64_t mask;       /* blocked signals before the call */
    uint64_t flags;      /* of clone */
    uint64_t entry, tsc; /* index of the entry record */
    uint32_t tid, pid, number, depth;
    /* SIGSYS, as the maker of a vfork child believes it: blocked, and the action */
    uint32_t sigsys_blocked;
    uint64_t sigsys_action[5];
};

/* What a task asks of rooftop. It waits on `want` until that is 0 again. */
enum syscall_want {
    SYSCALL_WANT_NOTHING,
    SYSCALL_WANT_ATTACH, /* before an execve: be its tracer. ask: path, dirfd (AT_FDCWD), flags.
                            answer: 1 attached, 0 not */
    SYSCALL_WANT_ASIDE,  /* trace this process with ptrace from now on. answer: 1 done */
    SYSCALL_WANT_SITES, /* call sites of the file mapped at ask[0]. answer: a struct syscall_part in
                           `part`, 1 */
};

/* One file mapped executable, and its call sites: a range of the segment of sites. */
struct syscall_part {
    uint64_t from, to;   /* the mapping */
    uint64_t bias;       /* added to the offset of a site: its address */
    uint64_t trampoline; /* free address range near it for the trampolines, 64 bytes a site */
    uint32_t first, n;
};

struct syscall_site {
    uint32_t offset; /* in the file */
    /* Bytes of whole instructions before and after `syscall`, moved to the trampoline with it. */
    uint8_t before, after;
    uint8_t bytes[SYSCALL_RING_SITE_BYTES]; /* what is there */
};

/* The recorder's answer sheet: rooftop writes it while the program is stopped at its hello. */
struct syscall_plan {
    uint32_t ready, nparts;
    struct syscall_part parts[SYSCALL_RING_PLAN];
};

/* A ring: this page, then its records. The first lines belong to the task. */
struct syscall_ring {
    uint64_t head;           /* index of the next record */
    uint64_t limit;          /* indices below are written without a look at the tail */
    uint64_t base;           /* address of the records, in the program */
    uint64_t self;           /* address of this, in the program */
    uint32_t number;         /* of this ring */
    uint32_t depth;          /* of vfork */
    int32_t pid, tid;        /* of the owner, in its own pid namespace */
    int32_t parent;          /* tid of its maker */
    uint32_t flags;          /* of clone */
    uint32_t attached;       /* rooftop is this task's tracer since an execve that failed */
    uint32_t sigsys_blocked; /* what the program believes */
    uint64_t text_from, text_to, pass; /* the hook; pass: the call in it that is not recorded */
    uint64_t environment, environment_size;        /* memory for the environment of execve */
    uint64_t stack_from, stack_to;                 /* the task's stack; 0: not known */
    struct syscall_slot slots[SYSCALL_RING_SLOTS]; /* of vfork */
    struct syscall_slot child;                     /* how this ring's task begins */
    _Alignas(128) uint64_t tail;                   /* rooftop's: index of the next to read */
    uint32_t waiting, room;                        /* the task waits for `room` to change */
    uint32_t want;                                 /* enum syscall_want */
    uint32_t answer;
    uint64_t ask[4];
    struct syscall_part part;
    uint64_t lost; /* not 0: records were not written, because rooftop was gone */
};

enum syscall_ring_state {
    SYSCALL_RING_FREE,
    SYSCALL_RING_TAKEN, /* being made ready */
    SYSCALL_RING_USED,
    SYSCALL_RING_ENDED /* its task has ended */
};

struct syscall_control {
    uint32_t magic, version;
    int32_t rooftop; /* pid */
    uint32_t beat;   /* changes all the time while rooftop is there */
    uint32_t bell;   /* a futex: something is to be read or answered */
    uint32_t asleep; /* rooftop waits for the bell */
    uint32_t chunks; /* that are there; a futex */
    uint32_t chunk_wanted;
    uint32_t hint;  /* no ring below is free, probably */
    uint32_t muted; /* tasks that got no ring */
    /* What is copied of the memory behind arguments: rows copies_from[n] to copies_from[n + 1] are
     * those of call n. */
    uint16_t copies_from[SYSCALL_RING_CALLS + 1];
    struct syscall_copy copies[SYSCALL_RING_COPIES];
    uint32_t gone; /* a task found that rooftop was killed: nobody waits for it any more */
    uint32_t patched, lone, dispatched; /* sites; calls by user dispatch */
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
