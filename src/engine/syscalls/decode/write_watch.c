/* poll, select, epoll: the events waited for, and those that happened. */
#include "engine/syscalls/decode/types.h"

#include <string.h>

#define VALUE (d->e->args[arg])

enum { SHOWN = 32 };

static void emit_pollfd(struct decoder *d, uint64_t address)
{
    struct {
        int32_t fd;
        int16_t events, revents;
    } p;
    if (!take(d, AT_ENTRY, address, &p, sizeof p)) {
        emit_address(d, address);
        return;
    }
    emit_text(d, "{fd=");
    emit_fd(d, p.fd);
    if (p.fd >= 0) {
        emit_text(d, ", events=");
        emit_flags(d, &constants_poll_events, (uint16_t)p.events);
    }
    emit_text(d, "}");
}

void write_pollfds(struct decoder *d, unsigned arg)
{
    uint64_t n = (uint32_t)other(d, arg);
    size_t got;
    if (VALUE && n && look(d, AT_ENTRY, VALUE, (n > SHOWN ? SHOWN : n) * 8, &got))
        emit_array(d, VALUE, n, 8, emit_pollfd);
    else if (VALUE && !n)
        emit_text(d, "[]");
    else
        emit_address(d, VALUE);
}

/* The descriptors that are ready, for poll's result. */
void emit_ready_pollfds(struct decoder *d, uint64_t address, uint32_t n)
{
    const char *between = "([";
    unsigned shown = 0;
    for (uint32_t i = 0; i < n && i < 4096; i++) {
        struct {
            int32_t fd;
            int16_t events, revents;
        } p;
        if (!take(d, AT_RETURN, address + i * 8ULL, &p, sizeof p))
            break;
        if (!p.revents)
            continue;
        if (++shown > SHOWN) {
            emit_text(d, ", ...");
            break;
        }
        emit(d, "%s{fd=", between);
        emit_fd(d, p.fd);
        emit_text(d, ", revents=");
        emit_flags(d, &constants_poll_events, (uint16_t)p.revents);
        emit_text(d, "}");
        between = ", ";
    }
    emit(d, shown ? "]" : "");
}

/* Reads a set of at most FD_SETSIZE descriptors. Returns how many of nfds it covers, or -1. */
static int take_fdset(struct decoder *d, bool when, uint64_t address, int nfds, uint64_t words[16])
{
    size_t bits = long_size(d) * 8, n = nfds < 0 ? 0 : (size_t)nfds;
    n = n > 1024 ? 1024 : n;
    size_t bytes = (n + bits - 1) / bits * long_size(d);
    memset(words, 0, 16 * sizeof *words);
    if (!address || (bytes && !take(d, when, address, words, bytes)))
        return -1;
    return (int)n;
}

static void emit_fds(struct decoder *d, const uint64_t words[16], int n)
{
    const char *between = "";
    emit_text(d, "[");
    for (int fd = 0; fd < n; fd++) {
        if (!(words[fd / 64] >> fd % 64 & 1))
            continue;
        emit(d, "%s", between);
        emit_fd(d, fd);
        between = " ";
    }
    emit_text(d, "]");
}

static bool emit_fdset(struct decoder *d, bool when, uint64_t address, int nfds)
{
    uint64_t words[16];
    int n = take_fdset(d, when, address, nfds, words);
    if (n >= 0)
        emit_fds(d, words, n);
    return n >= 0;
}

bool emit_ready_fdset(struct decoder *d, uint64_t address, int nfds, const char *before,
                      const char *name)
{
    uint64_t words[16];
    int n = take_fdset(d, AT_RETURN, address, nfds, words);
    for (int fd = 0; fd < n; fd++)
        if (words[fd / 64] >> fd % 64 & 1) {
            emit(d, "%s%s", before, name);
            emit_fds(d, words, n);
            return true;
        }
    return false;
}

void write_fdset(struct decoder *d, unsigned arg)
{
    if (!emit_fdset(d, AT_ENTRY, VALUE, (int)other(d, arg)))
        emit_address(d, VALUE);
}

/* struct epoll_event: packed on x86-64 only. Source: linux/eventpoll.h. */
static size_t event_size(const struct decoder *d)
{
    return d->e->abi == SYSCALL_ARM64 || d->e->abi == SYSCALL_ARM32 ? 16 : 12;
}

static void emit_epoll_event(struct decoder *d, bool when, uint64_t address)
{
    uint8_t raw[16];
    uint32_t events;
    uint64_t data;
    size_t n = event_size(d);
    if (!take(d, when, address, raw, n)) {
        emit_address(d, address);
        return;
    }
    __builtin_memcpy(&events, raw, sizeof events);
    __builtin_memcpy(&data, raw + n - sizeof data, sizeof data);
    emit_text(d, "{events=");
    emit_flags(d, &constants_epoll_events, events);
    emit(d, ", data={u32=%u, u64=%llu}}", (uint32_t)data, (unsigned long long)data);
}

static void emit_one_event(struct decoder *d, uint64_t address)
{
    emit_epoll_event(d, AT_RETURN, address);
}

void write_epoll_event(struct decoder *d, unsigned arg)
{
    enum { DELETE = 2 }; /* EPOLL_CTL_DEL takes no event */
    if ((int)d->e->args[1] == DELETE)
        emit_address(d, VALUE);
    else
        emit_epoll_event(d, AT_ENTRY, VALUE);
}

void write_epoll_events_out(struct decoder *d, unsigned arg)
{
    uint64_t n = has_result(d) ? (uint64_t)d->e->result : 0;
    size_t got;
    if (has_result(d) && !n)
        emit_text(d, "[]");
    else if (n && look(d, AT_RETURN, VALUE, (n > SHOWN ? SHOWN : n) * event_size(d), &got))
        emit_array(d, VALUE, n, event_size(d), emit_one_event);
    else
        emit_address(d, VALUE);
}
