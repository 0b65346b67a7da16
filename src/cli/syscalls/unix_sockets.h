/*
 * The unix sockets of a process's network, as the kernel tells them by sock_diag.
 *   Source: sock_diag(7), linux/unix_diag.h.
 */
#ifndef ROOFTOP_CLI_SYSCALLS_UNIX_SOCKETS_H
#define ROOFTOP_CLI_SYSCALLS_UNIX_SOCKETS_H

#include <stdint.h>
#include <sys/types.h>

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

#endif
