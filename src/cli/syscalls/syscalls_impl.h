/* What the files of cli/syscalls share among themselves. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cli/options/options.h"

/*
 * What sockets are and who is at their other end, as the kernel's tables say for the network
 * namespaces of the traced processes. A namespace is read once, and again when it is asked for a
 * socket that came later.
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
