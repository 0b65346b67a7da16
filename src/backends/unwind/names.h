/*
 * Finds the function at an address of a process, and those inlined there. Answers are kept by
 * position in the file, so that processes share them. Used by one thread, except the table of
 * symbols, which is changed under the lock that comes with it.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "backends/unwind/maps.h"
#include "backends/unwind/symtab.h"

struct frame_names;

struct names_shared { /* borrowed until names_free */
    struct symtab *table;
    pthread_mutex_t *lock;
    struct process_maps *maps;
    const struct names_origin *recorded; /* of a file's samples; NULL: processes that run now */
};

/* What of this machine is also that of the recording. It may become true while names are asked. */
struct names_origin {
    bool same_kernel;  /* booted once: its addresses are those of /proc/kallsyms */
    bool kernel_asked; /* that was looked up, which is done once for a recording */
    bool same_host;    /* run-time compilers may have left their maps in /tmp */
};

struct frame_names *names_new(const struct names_shared *shared);
void names_free(struct frame_names *n);

enum names_space { SPACE_USER, SPACE_KERNEL, SPACE_HYPERVISOR, SPACE_GUEST };

struct names_query {
    enum names_space space;
    pid_t pid;
    uint64_t address;
    bool caller; /* a return address: look up the call before it */
    uint64_t now_ns;
};

/* The function of an address, or one inlined around it. */
struct names_level {
    uint32_t symbol;  /* number in the table */
    int line;         /* 0 = unknown */
    const char *file; /* source of the address, or of the call to the level before; a string of the
                         table, "" unknown */
};

struct names_answer {
    const struct names_level *levels; /* innermost first; valid until the next call */
    size_t n;                         /* at least 1 */
    uint64_t address;                 /* in the file, if there is one */
    uint64_t until_ns; /* the answer may change after this time: code made at run time */
};

/* False, with nothing filled, for a caller's address outside all mappings: the stack cannot be
 * trusted from there on. */
bool names_resolve(struct frame_names *n, const struct names_query *q, struct names_answer *out);

/* Finds a mapping's file for the unwinder: its number, and the address in the file. false: none. */
bool names_file_address(struct frame_names *n, pid_t pid, const struct process_map *map,
                        uint64_t address, uint32_t *file, uint64_t *file_address);
/* The path to open the file; NULL if it cannot be opened. */
const char *names_file_path(struct frame_names *n, uint32_t file);

/* Drops all answers, after the table or the maps were reset. */
void names_reset(struct frame_names *n);
size_t names_memory(const struct frame_names *n); /* bytes, roughly */
