/*
 * What sockets are and who is at their other end, as the kernel tells of the networks that the
 * processes are in. A network namespace is read once, and again when a socket is looked for that
 * came later.
 */
#ifndef ROOFTOP_CLI_SYSCALLS_SOCKET_NAMES_H
#define ROOFTOP_CLI_SYSCALLS_SOCKET_NAMES_H

#include <stdint.h>
#include <sys/types.h>

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

#endif
