/* What the files of engine/golden share among themselves. */
#ifndef ROOFTOP_ENGINE_GOLDEN_GOLDEN_IMPL_H
#define ROOFTOP_ENGINE_GOLDEN_GOLDEN_IMPL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ids.h"
#include "engine/facts/descriptors.h"
#include "engine/golden/golden.h"
#include "engine/syscalls/roles.h"

/* What the parts of the builder share. */
struct golden_effects; /* what left the processes, so far */

struct golden_effects *golden_effects_new(void);
void golden_effects_free(struct golden_effects *f);
/* Before the descriptors follow the call. */
void golden_effects_call(struct golden_effects *f, const struct descriptors *d,
                         const struct syscall_event *e);
/* As golden_builder_stream. */
void golden_effects_stream(struct golden_effects *f, const char *name, uint64_t bytes,
                           const char *sha256);
/* Appends the lines, sorted. content: may be NULL. */
void golden_effects_lines(const struct golden_effects *f, const struct descriptors *d,
                          golden_content content, struct golden_section *out);

/* A process or thread of the run, by its place in the tree of processes. */
struct golden_task {
    char id[48];      /* "1", "1.2"; of a thread its process's */
    uint32_t thread;  /* 0: the first of its process */
    uint32_t section; /* index into the sections, plus 1; 0: none yet */
    uint32_t children, threads;
    bool told;    /* the call that made it has returned */
    bool started; /* its start was seen */
    bool over;    /* it has ended: its number may come again */
};

/* Gives an identifier to each number of a process or thread of the run. */
struct golden_tasks {
    struct golden_task *list;
    size_t n, cap;
    struct ids by_tid;
};
struct golden_task *golden_task_of(struct golden_tasks *t, int32_t tid);
/* A task starts; told: the call that made it returns. Whichever is seen first numbers it. */
void golden_task_started(struct golden_tasks *t, const struct syscall_event *e, bool told);

/*
 * The call as a canonical line in malloc'ed memory: before(), then the descriptors follow the
 * event, then after(). NULL: a rule leaves it out.
 */
struct golden_line {
    FILE *out;
    char *text;
    size_t size;
    bool stream; /* reads a stream: any number of reads is one line */
};
bool golden_line_before(struct golden_line *l, struct golden_tasks *tasks,
                        const struct descriptors *d, const struct syscall_event *e);
char *golden_line_after(struct golden_line *l, struct golden_tasks *tasks,
                        const struct descriptors *d, const struct syscall_event *e);

void golden_section_add(struct golden_section *s, char *line); /* takes the line */
struct golden_section *golden_section_new(struct golden *g, const char *title);

/* Which calls a golden trace leaves out, and how it writes the rest. One table, with reasons. */
enum { GOLDEN_RULES_VERSION = 1 };

struct golden_rule {
    const char *id;     /* "allocator" */
    const char *calls;  /* names of calls, separated by spaces; NULL: any */
    const char *paths;  /* patterns of paths (fnmatch), separated by spaces; NULL: any */
    const char *reason; /* why this is left out */
};

extern const struct golden_rule golden_rules[];
extern const size_t golden_rules_count;

/* The rule that leaves out a call on a file; path NULL: the call is on none. NULL: it stays. */
const struct golden_rule *golden_rule_for(const char *call, const char *path);
/*
 * Writes a path or text with what differs between runs replaced: the random part of temporary names
 * by
 * XXXXXX, the number in /proc/NUMBER by PID.
 */
void golden_stable_text(const char *text, char *out, size_t size);

#endif
