/* What the sockets of a process are, as the kernel's tables of its network say. */
#ifndef ROOFTOP_CLI_SYSCALLS_SOCKET_NAMES_H
#define ROOFTOP_CLI_SYSCALLS_SOCKET_NAMES_H

#include <stdint.h>
#include <sys/types.h>

struct socket_names;

/* Reads /proc/PID/net. A table that cannot be read is left out. */
struct socket_names *socket_names_read(pid_t pid);
/*
 * "tcp 127.0.0.1:4000 to 127.0.0.1:80", "tcp listens on [::]:80", "udp 0.0.0.0:53", "unix
 * /run/x.sock", with @ for the NUL that an abstract address begins with. NULL: no table names it.
 */
const char *socket_names_find(const struct socket_names *s, uint64_t inode);
void socket_names_free(struct socket_names *s);

#endif
