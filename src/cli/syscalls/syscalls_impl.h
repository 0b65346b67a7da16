/* What the files of cli/syscalls share among themselves. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cli/options/options.h"
#include "engine/golden/golden_diff.h"
#include "engine/golden/golden_store.h"
#include "tui/canvas/canvas.h"

/* What the parts of rooftop golden share: capturing one run, and the files of a folder. */

/* The values of all its sub-commands; a sub-command has options for some. */
struct golden_options {
    const char *folder, *level, *scenarios; /* NULL: the usual ones */
    bool all, force;
    long runs, repeat; /* of capture */
};

/* A run as a golden trace, with the table of its calls. */
struct golden_run {
    struct golden trace;
    char *summary; /* the table of -c; NULL for a saved trace */
};

/* Runs argv, or reads the saved trace `path` where argv is NULL. */
int golden_run_make(struct golden_run *out, const struct options *o, const char *path,
                    char *const *argv, enum golden_level level,
                    const struct golden_redactions *redactions, struct error *err);
void golden_run_free(struct golden_run *r);

/* FOLDER/NAME plus the ending. */
void golden_path(const struct golden_options *own, const char *name, const char *ending,
                 char out[4096]);
/* Whether the folder of golden traces, or a file of it, may say which commands are run: it is ours
 * or root's, or --folder names the folder, or it is not there. ERROR_INPUT otherwise. */
int golden_trusted(const struct golden_options *own, const char *path, struct error *err);
/* Writes NAME.json, NAME_summary.txt (if there is a summary) and the page for all. */
int golden_save(const struct golden_options *own, const struct golden *g, const char *summary,
                struct error *err);

/*
 * The differences of a golden trace on a terminal: one is shown, and each is accepted or rejected
 * with a key. The review itself knows no terminal; golden_review_run gives it one.
 */
enum golden_verdict { GOLDEN_UNDECIDED, GOLDEN_ACCEPTED, GOLDEN_REJECTED };

struct golden_review {
    const char *name;
    const struct golden *stored, *run;
    const struct golden_diff *d;
    uint8_t *verdict;        /* enum golden_verdict, by hunk */
    size_t at;               /* the hunk that is shown */
    int scroll, lines, page; /* of its text; set by the drawing */
    bool over, store;        /* the user has left, and wants what was accepted stored */
};

/* All are borrowed and outlive the review; free it with golden_review_end. */
void golden_review_begin(struct golden_review *r, const char *name, const struct golden *stored,
                         const struct golden *run, const struct golden_diff *d);
void golden_review_draw(struct golden_review *r, struct canvas *c);
/* key: a code point or enum key_code. */
void golden_review_key(struct golden_review *r, uint32_t key);
size_t golden_review_count(const struct golden_review *r, enum golden_verdict v);
/* Takes the accepted hunks into stored, which must be the review's. d is used up. */
void golden_review_take(const struct golden_review *r, struct golden *stored);
void golden_review_end(struct golden_review *r);

/* Shows the review until the user leaves. 0, or -errno with err where there is no terminal. */
int golden_review_run(struct golden_review *r, const struct options *o, struct error *err);

/*
 * What sockets are and who is at their other end, as the kernel tells of the networks that the
 * processes are in. A network namespace is read once, and again when a socket is looked for that
 * came later.
 */
struct socket_names;

struct socket_names *socket_names_new(void);
/*
 * "tcp 127.0.0.1:4000 to 127.0.0.1:80", "tcp listens on [::]:80", "udp 0.0.0.0:53", "unix
 * /run/x.sock", with @ for each NUL of an abstract address. Of a connected unix socket also who has
 * the other end, and its name: "unix to /run/x.sock of 12 (server)", "unix /run/x.sock to 34
 * (client)". That needs the kernel's sock_diag, and the right to see that process's descriptors;
 * what is not known is left out. NULL: nothing is known of the socket. Valid until the next call.
 */
const char *socket_names_find(struct socket_names *s, pid_t pid, uint64_t inode);
/* How often a network was read so far; for tests. */
uint64_t socket_names_reads(const struct socket_names *s);
void socket_names_free(struct socket_names *s);

/* The values of rooftop trace. */
struct trace_options {
    const char *calls; /* an expression; NULL: all */
    bool follow, times, counts, extended, free_cpus, inject, stack, source, functions;
    bool spans;       /* one of OpenTelemetry for each call */
    long strings;     /* bytes shown of each */
    long stack_depth; /* frames */
    long slow_us;     /* input and output that lasts longer is slow */
};

/* The tracer in a process of its own: rooftop starts itself for it (engine/syscalls/snapshot). */

/* Traces the processes of -p and their descendants until SIGTERM, or until nobody reads, and writes
 * records to standard output. Returns the exit status. */
int trace_child_run(const struct options *o);

/*
 * The unix sockets of a process's network, as the kernel tells them by sock_diag.
 *   Source: sock_diag(7), linux/unix_diag.h.
 */
enum { UNIX_NAME = 109 }; /* bytes of sun_path and a NUL */

struct unix_socket {
    uint32_t inode, peer; /* peer: the inode of the socket at the other end; 0: none is connected */
    char name[UNIX_NAME]; /* with @ for each NUL, such as the one that an abstract address begins
                             with; "": it has none */
};

/*
 * Calls take for each socket of the network namespace that pid is in. 0, or -errno where the kernel
 * does not tell: it has no sock_diag for unix sockets, or the namespace is another one that this
 * user may not enter; take may have been called for some sockets then.
 */
int unix_sockets_read(pid_t pid, void (*take)(void *ctx, const struct unix_socket *s), void *ctx);
