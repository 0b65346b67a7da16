/*
 * The executable mappings of each process: from /proc/PID/maps for processes that ran before us
 * (read at their first sample), later from the kernel's records. Used by one thread.
 *
 * Processes, mappings and files are limited in number, and those of ended processes are dropped.
 * What was dropped too early is read again from /proc.
 */
#pragma once

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

struct process_map {
    uint64_t start, end; /* addresses in the process */
    uint64_t offset;     /* offset of start in the file */
    uint32_t file;       /* file number; 0: none */
    uint8_t kind;        /* enum map_kind */
};

/* A file as the kernel names it, with the path that the process sees. */
struct map_file {
    const char *path; /* without " (deleted)" */
    uint32_t major, minor;
    uint64_t inode;
    bool deleted, memfd;
    uint8_t build_id[20]; /* what the record says */
    uint8_t nbuild_id;    /* 0: nothing */
};

struct process_maps;
struct record_mapping;

struct process_maps *maps_new(void);
/* The same for records of a file: /proc, which is of other processes, is never read. */
struct process_maps *maps_new_recorded(void);
void maps_free(struct process_maps *m);

/* Apply the kernel's records. */
void maps_add(struct process_maps *m, pid_t pid, const struct record_mapping *r);
void maps_fork(struct process_maps *m, pid_t pid, pid_t parent);
void maps_exec(struct process_maps *m, pid_t pid); /* its address space is new and empty */
void maps_exit(struct process_maps *m, pid_t pid);

/*
 * The mapping that holds address, or NULL; valid until the next call of any function here. It may
 * read /proc/PID/maps: at the first call for a process and, with `again`, if address is in no
 * mapping: at most once in 100 ms (now_ns: any monotonic clock), less often if that does not help.
 */
const struct process_map *maps_find(struct process_maps *m, pid_t pid, uint64_t address, bool again,
                                    uint64_t now_ns);
/* Whether a known mapping of the process lies, in part at least, in [start, start + length). */
bool maps_touched(const struct process_maps *m, pid_t pid, uint64_t start, uint64_t length);
const struct map_file *maps_file(const struct process_maps *m, uint32_t file);
size_t maps_memory(const struct process_maps *m); /* bytes, roughly */
size_t maps_processes(const struct process_maps *m);
size_t maps_files(const struct process_maps *m);
/* Drops everything; file numbers start again. */
void maps_reset(struct process_maps *m);

/* One line of /proc/PID/maps, without its newline. maps_parse_line returns false if it is no such
 * line. */
struct map_line {
    uint64_t start, end, offset, inode;
    uint32_t major, minor;
    bool executable;
    const char *path;        /* points into the line; "": none */
    const uint8_t *build_id; /* of a record; NULL: unknown */
    size_t nbuild_id;
};
bool maps_parse_line(const char *line, struct map_line *out);
/* The kind of a mapping, from its path. */
enum map_kind maps_kind_of(const char *path);
