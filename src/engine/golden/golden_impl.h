/* What the files of engine/golden share among themselves. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/ids.h"
#include "engine/facts/descriptors.h"
#include "engine/golden/golden.h"
#include "engine/syscalls/roles.h"

/* A process or thread of the run, by its place in the tree of processes. */
struct golden_task {
    char id[48];                          /* "1", "1.2"; a thread has its process's */
    uint32_t thread;                      /* 0: the first of its process */
    uint32_t section;                     /* index into the sections, plus 1; 0: none yet */
    uint32_t process;                     /* index of the first task of its process */
    uint32_t children, threads;           /* of a process: the number that its threads made */
    uint32_t made[DESCRIPTOR_HANDLE + 1]; /* number of unnamed objects that it made, by kind */
    bool told;                            /* the call that made it has returned */
    bool started;                         /* its start was seen */
    bool over;                            /* it has ended: its number may be reused */
};

/* Gives an identifier to each number of a process or thread of the run. */
struct golden_tasks {
    struct golden_task *list;
    size_t n, cap;
    struct ids by_tid;
};
struct golden_task *golden_task_of(struct golden_tasks *t, int32_t tid);

/* The section of freedoms that are patterns of names. */
#define GOLDEN_NAMES "names"

/* In golden_naming.c: names that are the same on every run. */
struct golden_naming;
struct golden_naming *golden_naming_new(void);
void golden_naming_free(struct golden_naming *n);
/* Before and after the descriptors follow the call. */
void golden_naming_before(struct golden_naming *n, const struct descriptors *d,
                          const struct syscall_event *e);
void golden_naming_after(struct golden_naming *n, struct golden_tasks *tasks,
                         const struct descriptors *d, const struct syscall_event *e);
/* The object's name, or "pipe 1 of process 1.2". */
const char *golden_naming_of(const struct golden_naming *n, const struct descriptor_object *o);
/* Sets `name` for the folder `path` (may be NULL), in the order of these calls. */
void golden_naming_place(struct golden_naming *n, const char *path, const char *name);
/* Replaces names in all lines of g, and gives it the names that the run made. */
void golden_naming_finish(struct golden_naming *n, struct golden *g);
/* The flags of a call that opens a file, and the mode for a new file (may be NULL). */
uint64_t golden_open_flags(const struct syscall_event *e, const struct syscall_duty *duty,
                           uint64_t *mode);

/* A name and its replacement. */
struct golden_swap {
    char *from, *to;
};
/* Replaces whole names in all lines and made names of g, the longest first. */
void golden_swap_all(struct golden *g, struct golden_swap *list, size_t n);
/* Replaces names in one text, which it takes, in the list's order. */
char *golden_swap_text(char *text, const struct golden_swap *list, size_t n);
void golden_swaps_free(struct golden_swap *list, size_t n);
/* Sorts the lines after the exit status. */
void golden_effects_sort(struct golden *g);

/* The effects of the run so far. */
struct golden_effects;
struct golden_effects *golden_effects_new(void);
void golden_effects_free(struct golden_effects *f);
/* Before and after the descriptors follow the call. */
void golden_effects_before(struct golden_effects *f, const struct descriptors *d,
                           const struct syscall_event *e);
void golden_effects_after(struct golden_effects *f, const struct descriptors *d,
                          const struct syscall_event *e);
/* As golden_builder_stream. */
void golden_effects_stream(struct golden_effects *f, const char *name, uint64_t bytes,
                           const char *sha256);
/* Appends the lines in any order. content: may be NULL. */
void golden_effects_lines(const struct golden_effects *f, const struct descriptors *d,
                          const struct golden_naming *names, golden_content content,
                          struct golden_section *out);

/* Writes a call as a canonical line in malloc'ed memory: before(), then the descriptors follow the
 * event, then after(). NULL: the call is left out. The first three members are input. */
struct golden_line {
    struct golden_tasks *tasks;
    const struct descriptors *d;
    const struct golden_naming *names;
    FILE *out;
    char *text;
    size_t size;
    bool stream; /* reads a stream: any number of reads is one line */
};
bool golden_line_before(struct golden_line *l, const struct syscall_event *e);
char *golden_line_after(struct golden_line *l, const struct syscall_event *e);

void golden_section_add(struct golden_section *s, char *line); /* takes the line */
struct golden_section *golden_section_new(struct golden *g, const char *title);

/* The calls that a golden trace leaves out, and the form of the others. One table with reasons. */
struct golden_rule {
    const char *id;     /* "allocator" */
    const char *calls;  /* names of calls, separated by spaces; NULL: any */
    const char *paths;  /* patterns of paths (fnmatch), separated by spaces; NULL: any */
    const char *reason; /* why this is left out */
};

extern const struct golden_rule golden_rules[];
extern const size_t golden_rules_count;

/* The rule that leaves a call out; path NULL: the call has no file. NULL: the call is kept. */
const struct golden_rule *golden_rule_for(const char *call, const char *path);
/* Whether it is by chance when, and how often, such a signal comes. */
bool golden_signal_varies(int64_t signal);
