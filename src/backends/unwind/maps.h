/*
 * What each process has mapped executable, and where: from /proc/PID/maps for those that ran before
 * us (read at their first sample), from the kernel's records afterwards. One thread's.
 *
 * Bounded: so many processes, mappings and files at most; what ended is dropped. What was dropped
 * too early is read again from /proc.
 */
#ifndef ROOFTOP_BACKENDS_UNWIND_MAPS_H
#define ROOFTOP_BACKENDS_UNWIND_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum map_kind {
    MAP_FILE,
    MAP_ANON, /* code made at run time */
    MAP_VDSO,
    MAP_SPECIAL, /* [vsyscall], [uprobes]: no file, no name */
};

struct map {
    uint64_t start, end; /* addresses in the process */
    uint64_t offset;     /* of start in the file */
    uint32_t file;       /* number of the file; 0 = none */
    uint8_t kind;        /* enum map_kind */
};

/* A file as the kernel names it: the path is as the process sees it. */
struct map_file {
    const char *path; /* without " (deleted)" */
    uint32_t major, minor;
    uint64_t inode;
    bool deleted, memfd;
};

struct maps;
struct record_mapping;

struct maps *maps_new(void);
void maps_free(struct maps *m);

/* What the kernel's records say. */
void maps_add(struct maps *m, pid_t pid, const struct record_mapping *r);
void maps_fork(struct maps *m, pid_t pid, pid_t parent);
void maps_exec(struct maps *m, pid_t pid); /* its address space is new and empty */
void maps_exit(struct maps *m, pid_t pid);

/*
 * The mapping that holds address, valid until the next call of any function here, or NULL. May read
 * /proc/PID/maps: at the first question for a process, and with again where an address is nowhere,
 * at most once in 100 ms (now_ns: any monotonic clock), more seldom where that does not help.
 */
const struct map *maps_find(struct maps *m, pid_t pid, uint64_t address, bool again,
                            uint64_t now_ns);
const struct map_file *maps_file(const struct maps *m, uint32_t file);
size_t maps_processes(const struct maps *m);
size_t maps_files(const struct maps *m);
/* Forgets everything; file numbers start anew. */
void maps_reset(struct maps *m);

/* One line of /proc/PID/maps, without its newline. False where it is not one. */
struct map_line {
    uint64_t start, end, offset, inode;
    uint32_t major, minor;
    bool executable;
    const char *path; /* into the line, "" none */
};
bool maps_parse_line(const char *line, struct map_line *out);
/* What a path of a mapping stands for. */
enum map_kind maps_kind_of(const char *path);

#endif
