/* Finds what each call puts on a wire or takes from it. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>

#include "base/hash.h"
#include "base/list.h"
#include "engine/causes/causes_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/memory.h"

enum key_kind { KEY_STREAM = 1, KEY_FUTEX, KEY_ADDRESS, KEY_DATA };

static uint64_t make_cause_key(enum key_kind kind, uint64_t a, uint64_t b)
{
    return ids_mix(a) ^ ids_mix(b + 1) * 3 ^ (uint64_t)kind << 56;
}

static struct socket_state *socket_state(struct causes *c, const struct descriptor_object *o)
{
    while (c->nsockets <= o->index)
        LIST_ADD(c->sockets, c->nsockets, c->sockets_cap, (struct socket_state){.stream = true});
    return &c->sockets[o->index];
}

static const struct descriptor_object *find_object_of_call(const struct causes *c,
                                                           const struct syscall_event *e, int arg)
{
    return arg < 0 ? NULL : descriptors_of(c->descriptors, e->pid, (int)(int32_t)e->args[arg]);
}

static bool is_eventfd(const struct descriptor_object *o)
{
    return o->kind == DESCRIPTOR_HANDLE && strncmp(o->name, "eventfd", 7) == 0;
}

/* --- where bytes go --- */

/* Finds the wire of one direction of a descriptor. counts: whether positions of bytes, messages or
 * eventfd counts are known. False: the descriptor carries no causes. */
static bool wire_for(struct causes *c, const struct syscall_event *e, int arg, bool writes,
                     uint32_t *wire)
{
    const struct descriptor_object *o = find_object_of_call(c, e, arg);
    *wire = 0;
    if (!o) /* a socket from before the trace, or from another process: treated like any other */
        return true;
    if (o->kind == DESCRIPTOR_PIPE || is_eventfd(o)) {
        *wire = wire_of(c, make_cause_key(KEY_STREAM, o->index, 0), WIRE_STREAM);
        return true;
    }
    if (o->kind != DESCRIPTOR_SOCKET)
        return false;
    const struct socket_state *s = socket_state(c, o);
    uint32_t object = o->index, end = 0;
    if (s->kind == SOCKET_PAIR)
        end = (uint32_t)descriptors_end(c->descriptors, e->pid, (int)(int32_t)e->args[arg]);
    else if (s->kind == SOCKET_PAIRED) {
        object = s->peer;
        end = 1;
    } else if (s->kind != SOCKET_CLIENT) {
        *wire = wire_of(c, make_cause_key(KEY_DATA, s->address, 0), WIRE_CANDIDATES);
        return true;
    }
    *wire = wire_of(c, make_cause_key(KEY_STREAM, object, 1 + (writes ? end : !end)), WIRE_STREAM);
    return true;
}

/* The amount that a call may move, in the wire's unit, and the amount that it moved. */
static bool is_counted_whole(struct causes *c, const struct descriptor_object *o)
{
    return o && o->kind == DESCRIPTOR_SOCKET && socket_state(c, o)->messages;
}

static uint64_t value_at(const struct syscall_event *e, bool at_return)
{
    uint64_t v = CAUSES_ANY;
    size_t n = 0;
    const uint8_t *kept = syscall_kept(e, e->args[1], at_return, &n, NULL);
    if (kept && n >= sizeof v)
        memcpy(&v, kept, sizeof v);
    return v < CAUSES_ANY ? v : CAUSES_ANY;
}

static uint64_t asked_of(struct causes *c, const struct syscall_event *e,
                         const struct syscall_duty *duty, int arg, bool writes)
{
    const struct descriptor_object *o = find_object_of_call(c, e, arg);
    if (o && is_eventfd(o))
        return writes ? value_at(e, false) : CAUSES_ANY;
    if (is_counted_whole(c, o))
        return 1;
    return duty->size >= 0 && e->args[duty->size] < CAUSES_ANY ? e->args[duty->size] : CAUSES_ANY;
}

/* The MSG_… flags of a call on a socket. */
static uint64_t message_flags(const struct syscall_event *e)
{
    const char *name = syscall_name(e->abi, e->number);
    if (strcmp(name, "recvfrom") == 0 || strcmp(name, "sendto") == 0)
        return e->args[3];
    return strcmp(name, "recvmsg") == 0 || strcmp(name, "sendmsg") == 0 ? e->args[2] : 0;
}

static bool does_call_peek(const struct syscall_event *e)
{
    return message_flags(e) & MSG_PEEK || strcmp(syscall_name(e->abi, e->number), "tee") == 0;
}

/* Calls that move several messages or pages at once: the result does not say how many bytes. */
static const struct syscall_duty *duty_of(const struct syscall_event *e, bool *uncounted)
{
    static const struct syscall_duty reads = {ROLE_READ, 0, -1, -1, -1},
                                     writes = {ROLE_WRITE, 0, -1, -1, -1};
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    const char *name = duty->role == ROLE_NONE ? syscall_name(e->abi, e->number) : "";
    *uncounted = true;
    if (strcmp(name, "recvmmsg") == 0)
        return &reads;
    if (strcmp(name, "sendmmsg") == 0 || strcmp(name, "vmsplice") == 0)
        return &writes;
    *uncounted = false;
    return duty;
}

/* Data that is sent to an unknown other end may arrive at any socket of its address. */
static void gives_anyone(struct causes *c, struct lane *l, const struct syscall_event *e, int arg)
{
    const struct descriptor_object *o = find_object_of_call(c, e, arg);
    const struct socket_state *s = o && o->kind == DESCRIPTOR_SOCKET ? socket_state(c, o) : NULL;
    if (!o)
        wire_enter(c, 0, WIRE_OUT, l->call, l->entry, 0);
    if (!s || s->kind != SOCKET_CLIENT)
        return;
    const uint32_t wire = wire_of(c, make_cause_key(KEY_DATA, s->address, 0), WIRE_CANDIDATES);
    clock_join(&c->wires[wire].at, l->entry);
}

static void note_giving_call(struct causes *c, struct lane *l, const struct syscall_event *e,
                             const struct syscall_duty *duty)
{
    if (!wire_for(c, e, duty->fd, true, &l->wires.out))
        return;
    l->wires.gives = true;
    gives_anyone(c, l, e, duty->fd);
    if (c->wires[l->wires.out].kind == WIRE_STREAM)
        wire_enter(c, l->wires.out, WIRE_OUT, l->call, l->entry,
                   asked_of(c, e, duty, duty->fd, true));
    else
        clock_join(&c->wires[l->wires.out].at, l->entry);
}

static void note_taking(struct causes *c, struct lane *l, const struct syscall_event *e,
                        const struct syscall_duty *duty)
{
    const int arg = duty->role == ROLE_COPY ? duty->other : duty->fd;
    if (!wire_for(c, e, arg, false, &l->wires.in))
        return;
    l->wires.takes = true;
    l->wires.peeks = does_call_peek(e);
    if (!l->wires.peeks && c->wires[l->wires.in].kind == WIRE_STREAM)
        wire_enter(c, l->wires.in, WIRE_IN, l->call, l->entry, asked_of(c, e, duty, arg, false));
    if (l->wires.gives && l->wires.in && l->wires.in != l->wires.out)
        c->wires[l->wires.out].from = l->wires.in;
}

/* --- how much fits into a pipe --- */

static struct wire *find_pipe_wire(struct causes *c, const struct descriptor_object *o)
{
    return o && o->kind == DESCRIPTOR_PIPE
               ? &c->wires[wire_of(c, make_cause_key(KEY_STREAM, o->index, 0), WIRE_STREAM)]
               : NULL;
}

/* A new pipe has 16 places of a page each (pipe(7)); pages have 4 KiB on x86, elsewhere 64 KiB at
 * most. Too large a size is safe: fewer writes then count as waits. */
static void note_made_pipe(struct causes *c, const struct syscall_event *e)
{
    enum { PLACES = 16, PAGE = 4096, PAGE_MOST = 65536 };
    const bool x86 = e->abi == SYSCALL_X86_64 || e->abi == SYSCALL_I386 || e->abi == SYSCALL_X32;
    const uint64_t direct = x86 ? 040000 : 0200000; /* O_DIRECT of the traced machine */
    const bool packets = strcmp(syscall_name(e->abi, e->number), "pipe2") == 0 &&
                         e->args[1] & direct; /* the rest of a packet is dropped */
    int fd;
    size_t n = 0;
    const uint8_t *kept = syscall_kept(e, e->args[0], true, &n, NULL);
    if (e->result != 0 || packets || !kept || n < sizeof fd)
        return;
    memcpy(&fd, kept, sizeof fd);
    struct wire *w = find_pipe_wire(c, descriptors_of(c->descriptors, e->pid, fd));
    if (w && w != c->wires)
        w->holds = PLACES * (x86 ? PAGE : PAGE_MOST);
}

/* fcntl may make a pipe larger, or set packet mode; spliced pages may be larger than others. */
static void note_changed_pipe(struct causes *c, const struct syscall_event *e,
                              const struct syscall_duty *duty, bool uncounted)
{
    const bool fcntl = strncmp(syscall_name(e->abi, e->number), "fcntl", 5) == 0;
    if (fcntl ? e->args[1] != F_SETPIPE_SZ && e->args[1] != F_SETFL
              : duty->role != ROLE_COPY && !(uncounted && duty->role == ROLE_WRITE))
        return;
    struct wire *w = find_pipe_wire(c, find_object_of_call(c, e, fcntl ? 0 : duty->fd));
    if (w)
        wire_unlimited(w);
}

/* --- sockets that connect --- */

enum { IS_PATH = 1 << 20 }; /* hashes of AF_UNIX paths have this bit; ports are smaller */

static uint64_t read_socket_address(const struct syscall_event *e, int arg, bool at_return)
{
    enum { FAMILY = 2, PORT = 2 };
    size_t n = 0;
    const uint8_t *kept = syscall_kept(e, e->args[arg], at_return, &n, NULL);
    uint16_t family;
    if (!kept || n <= FAMILY + PORT)
        return 0;
    memcpy(&family, kept, sizeof family);
    if (family == AF_INET || family == AF_INET6) /* all are on one machine, so the port is enough */
        return 1 + ((uint64_t)kept[FAMILY] << 8 | kept[FAMILY + 1]);
    if (family != AF_UNIX || n < FAMILY + 1)
        return 0;
    const uint8_t *path = kept + FAMILY; /* abstract names begin with NUL */
    const size_t size = path[0] ? strnlen((const char *)path, n - FAMILY) : n - FAMILY;
    return hash_bytes(0, path, size) | IS_PATH;
}

static uint32_t listen_wire(struct causes *c, uint64_t address)
{
    const enum wire_kind kind = address < IS_PATH ? WIRE_PORT : WIRE_LISTEN;
    return address ? wire_of(c, make_cause_key(KEY_ADDRESS, address, 0), kind) : 0;
}

static void note_connect_entry(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const struct descriptor_object *o = find_object_of_call(c, e, 0);
    const uint64_t address = read_socket_address(e, 1, false);
    struct socket_state *s = o && o->kind == DESCRIPTOR_SOCKET ? socket_state(c, o) : NULL;
    if (!s || !s->stream || s->kind != SOCKET_UNKNOWN || !address)
        return;
    s->address = address;
    s->kind = SOCKET_CLIENT;
    l->wires.out = listen_wire(c, address);
    struct wire_call *call = wire_enter(c, l->wires.out, WIRE_OUT, l->call, l->entry, 1);
    if (call)
        call->object = o->index;
}

static void note_connect_return(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const struct descriptor_object *o = find_object_of_call(c, e, 0);
    if (!l->wires.out)
        return;
    if (e->result != 0 && o && o->kind == DESCRIPTOR_SOCKET && e->result != -EINPROGRESS)
        socket_state(c, o)->kind = SOCKET_UNKNOWN;
    uint64_t moved = e->result == 0;
    if (e->result == -EINPROGRESS)
        moved = CAUSES_ANY; /* the call may still fail */
    wire_leave(c, l->wires.out, WIRE_OUT, l->call, moved, IDS_NONE);
}

static void note_accept_entry(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const struct descriptor_object *o = find_object_of_call(c, e, 0);
    if (!o || o->kind != DESCRIPTOR_SOCKET)
        return;
    l->wires.in = listen_wire(c, socket_state(c, o)->address);
    wire_enter(c, l->wires.in, WIRE_IN, l->call, l->entry, 1);
}

static void note_accept_return(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const struct descriptor_object *listens = find_object_of_call(c, e, 0);
    const struct descriptor_object *o =
        e->result < 0 ? NULL : descriptors_of(c->descriptors, e->pid, (int)e->result);
    if (o && o->kind == DESCRIPTOR_SOCKET && listens && listens->kind == DESCRIPTOR_SOCKET) {
        const uint64_t address = socket_state(c, listens)->address;
        struct socket_state *s = socket_state(c, o);
        *s = (struct socket_state){.kind = SOCKET_SERVER, .stream = true, .address = address};
    }
    clock_join(&l->at, c->wires[l->wires.in].at);
    wire_leave(c, l->wires.in, WIRE_IN, l->call, e->result >= 0 ? 1 : 0, o ? o->index : IDS_NONE);
}

static void is_bound(struct causes *c, const struct syscall_event *e, bool at_return)
{
    const struct descriptor_object *o = find_object_of_call(c, e, 0);
    struct socket_state *s = o && o->kind == DESCRIPTOR_SOCKET ? socket_state(c, o) : NULL;
    const uint64_t address = read_socket_address(e, 1, at_return);
    if (!s || e->result != 0 || !address || s->kind != SOCKET_UNKNOWN)
        return;
    s->address = address;
    const uint32_t wire = listen_wire(c, address);
    struct wire *w = &c->wires[wire];
    if (!at_return && (w->n[WIRE_OUT] || w->total[WIRE_OUT] != w->total[WIRE_IN]))
        wire_tear(w); /* pending connections of a former socket with this address are unknown */
}

static void note_made_object(struct causes *c, const struct syscall_event *e,
                             const struct syscall_duty *duty)
{
    enum { TYPE = 0xf }; /* without SOCK_CLOEXEC and SOCK_NONBLOCK */
    int fd = (int)(int32_t)e->result;
    size_t n = 0;
    if (duty->role == ROLE_PAIR) {
        const uint8_t *kept = syscall_kept(e, e->args[3], true, &n, NULL);
        if (!kept || n < sizeof fd)
            return;
        memcpy(&fd, kept, sizeof fd);
    }
    const struct descriptor_object *o = descriptors_of(c->descriptors, e->pid, fd);
    if (!o)
        return;
    if (duty->role == ROLE_HANDLE && is_eventfd(o)) {
        const uint32_t wire = wire_of(c, make_cause_key(KEY_STREAM, o->index, 0), WIRE_STREAM);
        c->wires[wire].total[WIRE_OUT] = (uint32_t)e->args[0];
    }
    if (duty->role == ROLE_HANDLE)
        return;
    struct socket_state *s = socket_state(c, o);
    s->kind = duty->role == ROLE_PAIR ? SOCKET_PAIR : SOCKET_UNKNOWN;
    s->stream = (e->args[1] & TYPE) == SOCK_STREAM;
    s->messages = !s->stream;
}

/* --- futex --- */

enum futex_does { FUTEX_OTHER, FUTEX_WAITS, FUTEX_WAKES, FUTEX_MOVES, FUTEX_LOCKS, FUTEX_UNLOCKS };

static enum futex_does futex_does(const struct syscall_event *e)
{
    static const uint8_t does[] = {FUTEX_WAITS, FUTEX_WAKES, FUTEX_OTHER, FUTEX_MOVES,
                                   FUTEX_MOVES, FUTEX_MOVES, FUTEX_LOCKS, FUTEX_UNLOCKS,
                                   FUTEX_LOCKS, FUTEX_WAITS, FUTEX_WAKES, FUTEX_MOVES,
                                   FUTEX_MOVES, FUTEX_LOCKS};
    const uint64_t op = e->args[1] & 127;
    if (strcmp(syscall_name(e->abi, e->number), "futex") != 0 || op >= sizeof does)
        return FUTEX_OTHER;
    return does[op];
}

/* Processes may see a shared futex at different addresses, but then no edge is certain. */
static uint32_t futex_wire(struct causes *c, const struct lane *l, const struct syscall_event *e,
                           int arg)
{
    enum { PRIVATE = 128 };
    const uint64_t whose = e->args[1] & PRIVATE ? 1 + c->processes[l->process].memory : 0;
    return wire_of(c, make_cause_key(KEY_FUTEX, e->args[arg], whose), WIRE_CANDIDATES);
}

static void futex_enters(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const enum futex_does does = futex_does(e);
    if (does == FUTEX_OTHER)
        return;
    const uint32_t wire = futex_wire(c, l, e, 0);
    if (does == FUTEX_WAITS || does == FUTEX_LOCKS) {
        l->wires.in = wire;
        return;
    }
    l->wires.out = wire;
    wire_enter(c, wire, WIRE_OUT, l->call, l->entry, 1);
    if (does == FUTEX_MOVES) { /* waiters of this futex may be woken through the second futex */
        const uint32_t second = futex_wire(c, l, e, 4);
        wire_enter(c, second, WIRE_OUT, l->call, l->entry, 1);
        if (second != wire)
            c->wires[wire].from = second;
        c->wires[wire].unsure = c->wires[second].unsure = UINT64_MAX;
    }
}

static void futex_leaves(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    const enum futex_does does = futex_does(e);
    if (does == FUTEX_WAKES || does == FUTEX_MOVES || does == FUTEX_UNLOCKS) {
        wire_woke(c, l->wires.out, l->call,
                  e->result > 0 || does != FUTEX_WAKES || e->flags & SYSCALL_UNFINISHED);
        return;
    }
    if (does != FUTEX_WAITS && does != FUTEX_LOCKS)
        return;
    if (e->result != 0 && e->result != -EAGAIN)
        return;
    if (cause_task_joined(c, l, e))
        return;
    const struct wire *w = &c->wires[l->wires.in];
    clock_join(&l->at, w->at);
    if (w->from)
        clock_join(&l->at, c->wires[w->from].at);
    if (e->result == 0 && does == FUTEX_WAITS)
        wire_woken(c, l->wires.in, l->call, l->entered);
}

/* --- all calls --- */

/* Closes take effect before they return: another call may already use the number then. */
static void follow_close_early(struct causes *c, const struct syscall_event *e)
{
    struct syscall_event closed = *e;
    closed.kind = SYSCALL_CALL;
    closed.flags = 0;
    closed.result = 0;
    descriptors_follow(c->descriptors, &closed);
}

/* Whether the call reopens a descriptor whose object the trace does not know. */
static bool opens_unknown(const struct causes *c, const struct syscall_event *e,
                          const struct syscall_duty *duty)
{
    size_t n = 0;
    int32_t pid = e->pid;
    const char *path = duty->role == ROLE_OPEN
                           ? (const char *)syscall_kept(e, e->args[duty->path], false, &n, NULL)
                           : NULL;
    n = path ? strnlen(path, n) : 0;
    const int fd = path ? descriptors_named(path, n, &pid) : -1;
    if (fd >= 0)
        return !descriptors_of(c->descriptors, pid, fd);
    return n > 6 && memcmp(path, "/proc/", 6) == 0 && memmem(path, n, "/fd/", 4);
}

/* Whether a call lets others use pipes, sockets and futexes without being traced. */
static bool hides_from_causes(const struct causes *c, const struct syscall_event *e,
                              const struct syscall_duty *duty)
{
    const char *name = syscall_name(e->abi, e->number);
    return opens_unknown(c, e, duty) || duty->role == ROLE_RING ||
           strcmp(name, "pidfd_getfd") == 0 ||
           (duty->role == ROLE_FUTEX && strcmp(name, "futex") != 0) ||
           strcmp(name, "futex_requeue") == 0 || cause_passes_descriptors(e);
}

void cause_call_enters(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    bool uncounted;
    const struct syscall_duty *duty = duty_of(e, &uncounted);
    l->wires = (struct call_wires){0};
    if (duty->role == ROLE_CLOSE || duty->role == ROLE_CLOSES)
        follow_close_early(c, e);
    if (hides_from_causes(c, e, duty))
        causes_lose(c, syscall_name(e->abi, e->number), e->begin_ns);
    note_changed_pipe(c, e, duty, uncounted);
    if (e->flags & SYSCALL_NO_ENTRY)
        return;
    if (duty->role == ROLE_WRITE || duty->role == ROLE_COPY)
        note_giving_call(c, l, e, duty);
    if (duty->role == ROLE_READ || duty->role == ROLE_COPY)
        note_taking(c, l, e, duty);
    if (duty->role == ROLE_CONNECT)
        note_connect_entry(c, l, e);
    if (duty->role == ROLE_ACCEPT)
        note_accept_entry(c, l, e);
    if (duty->role == ROLE_FUTEX)
        futex_enters(c, l, e);
    if (duty->role == ROLE_FORK)
        clock_join(&c->forks, l->entry);
    if (duty->role == ROLE_SIGNAL)
        cause_sends_signal(c, l, e);
    if (duty->role == ROLE_EXIT) {
        l->exits = l->call;
        if (strcmp(syscall_name(e->abi, e->number), "exit_group") == 0)
            c->processes[l->process].last = l->call;
    }
}

/* The amount that a call moved, in the wire's unit. */
static uint64_t count_moved_on_wire(struct causes *c, const struct syscall_event *e, int arg,
                                    bool writes)
{
    const struct descriptor_object *o = find_object_of_call(c, e, arg);
    const bool whole = is_counted_whole(c, o);
    bool uncounted;
    duty_of(e, &uncounted);
    if (e->flags & (SYSCALL_UNFINISHED | SYSCALL_NO_RESULT))
        return CAUSES_ANY;
    if (e->result < 0 || (e->result == 0 && !whole))
        return 0;
    if (uncounted || e->result == 0 || message_flags(e) & (MSG_OOB | MSG_ERRQUEUE))
        return CAUSES_ANY;
    if (o && is_eventfd(o))
        return value_at(e, !writes);
    return whole ? 1 : (uint64_t)e->result;
}

static void bytes_leave(struct causes *c, struct lane *l, const struct syscall_event *e,
                        const struct syscall_duty *duty)
{
    const struct call_wires *w = &l->wires;
    if (w->gives && c->wires[w->out].kind == WIRE_STREAM) {
        const uint64_t n = count_moved_on_wire(c, e, duty->fd, true);
        clock_join(&l->at, wire_room(c, w->out, l->call, n));
        wire_leave(c, w->out, WIRE_OUT, l->call, n, IDS_NONE);
    }
    if (!w->takes)
        return;
    if (e->result >= 0) { /* no bytes: the other end was closed */
        clock_join(&l->at, c->wires[w->in].at);
        if (c->wires[w->in].from)
            clock_join(&l->at, c->wires[c->wires[w->in].from].at);
    }
    if (!w->peeks && c->wires[w->in].kind == WIRE_STREAM)
        wire_leave(
            c, w->in, WIRE_IN, l->call,
            count_moved_on_wire(c, e, duty->role == ROLE_COPY ? duty->other : duty->fd, false),
            IDS_NONE);
}

void cause_call_leaves(struct causes *c, struct lane *l, const struct syscall_event *e)
{
    bool uncounted;
    const struct syscall_duty *duty = duty_of(e, &uncounted);
    switch (duty->role) {
    case ROLE_READ:
    case ROLE_WRITE:
    case ROLE_COPY:
        bytes_leave(c, l, e, duty);
        break;
    case ROLE_CONNECT:
        note_connect_return(c, l, e);
        break;
    case ROLE_ACCEPT:
        note_accept_return(c, l, e);
        break;
    case ROLE_BIND:
    case ROLE_NAME:
        is_bound(c, e, duty->role == ROLE_NAME);
        break;
    case ROLE_PIPE:
        note_made_pipe(c, e);
        break;
    case ROLE_SOCKET:
    case ROLE_PAIR:
    case ROLE_HANDLE:
        if (e->result >= 0)
            note_made_object(c, e, duty);
        break;
    case ROLE_FUTEX:
        futex_leaves(c, l, e);
        break;
    case ROLE_FORK:
        cause_task_made(c, l, e);
        break;
    case ROLE_WAIT:
        cause_task_awaited(c, l, e);
        break;
    case ROLE_SIGNAL:
        wire_woke(c, l->wires.out, l->call, e->result == 0);
        break;
    case ROLE_SLEEP: /* rt_sigtimedwait takes a signal that no event reports */
        if (e->result > 0)
            clock_join(&l->at, c->signals);
        break;
    default:
        break;
    }
}
