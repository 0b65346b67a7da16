#include "cli/syscalls/socket_names.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/ids.h"
#include "base/list.h"

/* A host may have millions of sockets; those of one process are few. */
enum { SOCKETS_MOST = 1 << 18, WORD_DIGITS = 8, WORDS = 4, LISTENS = 0x0a /* TCP_LISTEN */ };

struct socket_names {
    struct ids by_inode; /* places in list */
    char **list;
    uint32_t n, cap;
};

static void add_name(struct socket_names *s, uint64_t inode, const char *name)
{
    if (!inode || s->n >= SOCKETS_MOST || !ids_add(&s->by_inode, inode, s->n))
        return;
    LIST_ROOM(s->list, s->n, s->cap);
    s->list[s->n++] = xstrdup(name);
}

/* The text of an address that the table has in words of eight digits, as the machine keeps them:
 * one, or four of IPv6. False: it is none. */
static bool write_address(char *out, size_t size, const char *digits, unsigned port)
{
    uint32_t words[WORDS] = {0};
    char text[INET6_ADDRSTRLEN];
    const size_t n = strlen(digits) / WORD_DIGITS;
    if (n * WORD_DIGITS != strlen(digits) || (n != 1 && n != WORDS))
        return false;
    for (size_t i = 0; i < n; i++) {
        char word[WORD_DIGITS + 1] = "";
        memcpy(word, digits + i * WORD_DIGITS, WORD_DIGITS);
        words[i] = (uint32_t)strtoul(word, NULL, 16);
    }
    if (!inet_ntop(n == 1 ? AF_INET : AF_INET6, words, text, sizeof text))
        return false;
    snprintf(out, size, n == 1 ? "%s:%u" : "[%s]:%u", text, port);
    return true;
}

/* A line of tcp, tcp6, udp and udp6: number, address, peer, state, queues, timers, user, time-out,
 * inode. Source: Documentation/networking/proc_net_tcp.rst of Linux. */
static void take_internet(struct socket_names *s, const char *line, const char *kind)
{
    char own[WORDS * WORD_DIGITS + 1], peer[sizeof own], from[64], to[64], name[160];
    unsigned own_port, peer_port, state;
    unsigned long long inode;
    if (sscanf(line, " %*d: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %x %*s %*s %*s %*s %*s %llu", own,
               &own_port, peer, &peer_port, &state, &inode) != 6 ||
        !write_address(from, sizeof from, own, own_port) ||
        !write_address(to, sizeof to, peer, peer_port))
        return;
    if (peer_port)
        snprintf(name, sizeof name, "%s %s to %s", kind, from, to);
    else
        snprintf(name, sizeof name, "%s %s%s", kind, state == LISTENS ? "listens on " : "", from);
    add_name(s, inode, name);
}

/* Number, references, protocol, flags, type, state, inode, path. */
static void take_unix(struct socket_names *s, const char *line, const char *kind)
{
    unsigned long long inode;
    char name[160];
    int path = 0;
    if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %llu %n", &inode, &path) != 1 || path == 0 ||
        !line[path])
        return;
    snprintf(name, sizeof name, "%s %.120s", kind, line + path);
    add_name(s, inode, name);
}

struct socket_names *socket_names_read(pid_t pid)
{
    static const struct {
        const char *file, *kind;
        void (*take)(struct socket_names *s, const char *line, const char *kind);
    } tables[] = {{"tcp", "tcp", take_internet},
                  {"tcp6", "tcp", take_internet},
                  {"udp", "udp", take_internet},
                  {"udp6", "udp", take_internet},
                  {"unix", "unix", take_unix}};
    struct socket_names *s = xcalloc(1, sizeof *s);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        char path[64], line[512];
        snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, tables[i].file);
        FILE *f = fopen(path, "re");
        while (f && s->n < SOCKETS_MOST && fgets(line, sizeof line, f)) {
            line[strcspn(line, "\n")] = '\0';
            tables[i].take(s, line, tables[i].kind);
        }
        if (f)
            fclose(f);
    }
    return s;
}

const char *socket_names_find(const struct socket_names *s, uint64_t inode)
{
    const uint32_t i = ids_get(&s->by_inode, inode);
    return i == IDS_NONE ? NULL : s->list[i];
}

void socket_names_free(struct socket_names *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        free(s->list[i]);
    free(s->list);
    ids_free(&s->by_inode);
    free(s);
}
