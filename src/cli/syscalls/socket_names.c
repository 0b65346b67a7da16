#include "cli/syscalls/syscalls_impl.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/ids.h"
#include "base/list.h"

/* A host may have millions of sockets; those of one process are few. */
enum { SOCKETS_MOST = 1 << 18, WORD_DIGITS = 8, WORDS = 4, LISTENS = 0x0a /* TCP_LISTEN */ };
/* A network is read again for a socket that came later, but not more often than this. */
#define READ_AGAIN_NS UINT64_C(1000000000)

struct network {
    dev_t dev; /* of the namespace */
    ino_t ino;
    uint64_t read_ns;    /* engine clock */
    struct ids by_inode; /* indices in list */
    char **list;
    struct unix_socket *unixes; /* until their names are made */
    uint32_t n, cap, nunixes, unixes_cap;
};

/* Who has which socket open. */
struct socket_owners {
    struct ids by_inode; /* pids */
    bool known;
};

struct socket_names {
    struct network *list;
    size_t n, cap;
    struct socket_owners owners;
    uint64_t reads;
};

static void add_socket_name(struct network *s, uint64_t inode, const char *name)
{
    if (!inode || s->n >= SOCKETS_MOST || !ids_add(&s->by_inode, inode, s->n))
        return;
    LIST_ADD(s->list, s->n, s->cap, xstrdup(name));
}

/* Writes an address as text. The kernel's table has it as words of eight hexadecimal digits in
 * the machine's byte order: one word, or four for IPv6. Returns false if it is no address. */
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

/* Reads a line of tcp, tcp6, udp or udp6: number, address, peer, state, queues, timers, user,
 * time-out, inode. Source: Documentation/networking/proc_net_tcp.rst of Linux. */
static void take_internet(struct network *s, const char *line, const char *kind)
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
    add_socket_name(s, inode, name);
}

/* Reads a line of unix: number, references, protocol, flags, type, state, inode, path. It is for
 * kernels without sock_diag for unix sockets: a path with a newline may name another socket
 * wrongly here. */
static void take_unix(struct network *s, const char *line, const char *kind)
{
    unsigned long long inode;
    char name[160];
    int path = 0;
    if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %llu %n", &inode, &path) != 1 || path == 0 ||
        !line[path])
        return;
    snprintf(name, sizeof name, "%s %.120s", kind, line + path);
    add_socket_name(s, inode, name);
}

static void read_socket_table(struct network *w, pid_t pid, const char *file, const char *kind,
                              void (*take)(struct network *w, const char *line, const char *kind))
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/net/%s", (int)pid, file);
    FILE *f = fopen(path, "re");
    while (f && w->n < SOCKETS_MOST && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        take(w, line, kind);
    }
    if (f)
        fclose(f);
}

/* --- unix sockets and their peers --- */

/* Adds the sockets that a process has open. */
static void read_owner(struct socket_owners *o, const char *pid)
{
    char path[300], link[64];
    unsigned long long inode;
    snprintf(path, sizeof path, "/proc/%s/fd", pid);
    DIR *dir = opendir(path);
    for (struct dirent *f; dir && o->by_inode.n < SOCKETS_MOST && (f = readdir(dir));) {
        const ssize_t n = readlinkat(dirfd(dir), f->d_name, link, sizeof link - 1);
        link[n > 0 ? n : 0] = '\0';
        if (sscanf(link, "socket:[%llu]", &inode) == 1)
            ids_add(&o->by_inode, inode, (uint32_t)strtoul(pid, NULL, 10));
    }
    if (dir)
        closedir(dir);
}

static void read_owners(struct socket_owners *o)
{
    ids_free(&o->by_inode);
    *o = (struct socket_owners){.known = true};
    DIR *dir = opendir("/proc");
    for (struct dirent *f; dir && (f = readdir(dir));)
        if (f->d_name[0] >= '1' && f->d_name[0] <= '9')
            read_owner(o, f->d_name);
    if (dir)
        closedir(dir);
}

/* "12 (name)"; false: it is not known who has the socket. */
static bool write_socket_owner(char *out, size_t size, const struct socket_owners *o,
                               uint32_t inode)
{
    char path[64], comm[32] = "";
    const uint32_t pid = ids_get(&o->by_inode, inode);
    if (pid == IDS_NONE)
        return false;
    snprintf(path, sizeof path, "/proc/%u/comm", pid);
    FILE *f = fopen(path, "re");
    if (f && fgets(comm, sizeof comm, f))
        comm[strcspn(comm, "\n")] = '\0';
    if (f)
        fclose(f);
    snprintf(out, size, comm[0] ? "%u (%s)" : "%u", pid, comm);
    return true;
}

static void keep_unix(void *ctx, const struct unix_socket *u)
{
    struct network *w = ctx;
    if (w->nunixes >= SOCKETS_MOST)
        return;
    LIST_ADD(w->unixes, w->nunixes, w->unixes_cap, *u);
}

static void name_unix(struct network *w, const struct socket_owners *o, const struct ids *places,
                      const struct unix_socket *u)
{
    char name[2 * UNIX_NAME + 128] = "unix", owner[64];
    const uint32_t at = u->peer ? ids_get(places, u->peer) : IDS_NONE;
    const char *peer = at == IDS_NONE ? "" : w->unixes[at].name;
    const bool owned = u->peer && write_socket_owner(owner, sizeof owner, o, u->peer);
    size_t n = strlen(name);
    if (u->name[0])
        n += (size_t)snprintf(name + n, sizeof name - n, " %s", u->name);
    if (*peer)
        n += (size_t)snprintf(name + n, sizeof name - n, " to %s", peer);
    if (owned)
        snprintf(name + n, sizeof name - n, " %s %s", *peer ? "of" : "to", owner);
    if (name[4])
        add_socket_name(w, u->inode, name);
}

/* False where the kernel does not tell by sock_diag. */
static bool read_unix(struct socket_names *s, struct network *w, pid_t pid)
{
    struct ids places = {0};
    w->nunixes = 0;
    const bool told = unix_sockets_read(pid, keep_unix, w) == 0;
    for (uint32_t i = 0; told && i < w->nunixes; i++) {
        ids_set(&places, w->unixes[i].inode, i);
        if (w->unixes[i].peer && !s->owners.known)
            read_owners(&s->owners);
    }
    for (uint32_t i = 0; told && i < w->nunixes; i++)
        name_unix(w, &s->owners, &places, &w->unixes[i]);
    ids_free(&places);
    free(w->unixes);
    w->unixes = NULL;
    w->nunixes = w->unixes_cap = 0;
    return told;
}

/* --- networks --- */

static void empty_network(struct network *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        free(w->list[i]);
    free(w->list);
    ids_free(&w->by_inode);
    *w = (struct network){.dev = w->dev, .ino = w->ino};
}

static void read_network(struct socket_names *s, struct network *w, pid_t pid)
{
    empty_network(w);
    s->owners.known = false;
    s->reads++;
    read_socket_table(w, pid, "tcp", "tcp", take_internet);
    read_socket_table(w, pid, "tcp6", "tcp", take_internet);
    read_socket_table(w, pid, "udp", "udp", take_internet);
    read_socket_table(w, pid, "udp6", "udp", take_internet);
    if (!read_unix(s, w, pid))
        read_socket_table(w, pid, "unix", "unix", take_unix);
    w->read_ns = env_now_ns();
}

/* NULL where the process is gone, or hidden. */
static struct network *network_of(struct socket_names *s, pid_t pid)
{
    char path[64];
    struct stat ns;
    snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
    if (stat(path, &ns) != 0)
        return NULL;
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i].dev == ns.st_dev && s->list[i].ino == ns.st_ino)
            return &s->list[i];
    LIST_ROOM(s->list, s->n, s->cap);
    s->list[s->n] = (struct network){.dev = ns.st_dev, .ino = ns.st_ino};
    read_network(s, &s->list[s->n], pid);
    return &s->list[s->n++];
}

struct socket_names *socket_names_new(void)
{
    return xcalloc(1, sizeof(struct socket_names));
}

const char *socket_names_find(struct socket_names *s, pid_t pid, uint64_t inode)
{
    struct network *w = network_of(s, pid);
    uint32_t i = w ? ids_get(&w->by_inode, inode) : IDS_NONE;
    if (w && i == IDS_NONE && env_now_ns() - w->read_ns > READ_AGAIN_NS) {
        read_network(s, w, pid);
        i = ids_get(&w->by_inode, inode);
    }
    return i == IDS_NONE ? NULL : w->list[i];
}

uint64_t socket_names_reads(const struct socket_names *s)
{
    return s->reads;
}

void socket_names_free(struct socket_names *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++)
        empty_network(&s->list[i]);
    free(s->list);
    ids_free(&s->owners.by_inode);
    free(s);
}
