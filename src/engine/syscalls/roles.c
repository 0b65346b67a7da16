#include "engine/syscalls/roles.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "engine/syscalls/calls_impl.h"
#include "engine/syscalls/memory.h"

static const struct {
    const char *call;
    struct syscall_duty duty;
} duties[] = {
#define DUTY(call, role, fd, path, size, other)                                                    \
    {#call, {ROLE_##role, (fd), (path), (size), (other)}},
#include "engine/syscalls/roles.def"
#undef DUTY
};

static const struct syscall_duty none = {ROLE_NONE, -1, -1, -1, -1};

/* For each abi and call number, 1 + index into duties; 0: the call has no duty. */
static struct {
    uint8_t *of;
    uint32_t n;
} places[SYSCALL_ABIS];

/* Duties in a linked list for each first letter of their calls; numbers are 1 + index, 0 ends. */
enum { DUTIES = sizeof duties / sizeof *duties, LETTERS = 128 };
struct letters {
    uint8_t first[LETTERS], next[DUTIES];
};

static void sort_by_letter(struct letters *l)
{
    *l = (struct letters){0};
    for (unsigned i = DUTIES; i-- > 0;) {
        uint8_t *first = &l->first[duties[i].call[0] & (LETTERS - 1)];
        l->next[i] = *first;
        *first = (uint8_t)(i + 1);
    }
}

/* 1 + index of a call's duty; 0: it has none. */
static uint8_t find_duty_place(const struct letters *l, const char *call)
{
    uint8_t i = l->first[call[0] & (LETTERS - 1)];
    while (i && strcmp(duties[i - 1].call, call) != 0)
        i = l->next[i - 1];
    return i;
}

/* Searches once for each row, not for each ABI, because each trace waits for this. */
static void place_duties(void)
{
    _Static_assert(DUTIES < UINT8_MAX, "places are bytes");
    struct letters letters;
    sort_by_letter(&letters);
    for (unsigned abi = 0; abi < SYSCALL_ABIS; abi++) {
        places[abi].n = syscall_numbers(abi);
        places[abi].of = xcalloc(places[abi].n + 1, 1);
    }
    const struct syscall_call *row;
    for (size_t i = 0; (row = syscall_row(i)); i++) {
        const uint8_t place = find_duty_place(&letters, row->name);
        for (unsigned abi = 0; place && abi < SYSCALL_ABIS; abi++)
            if (row->numbers[abi] >= 0 && (uint32_t)row->numbers[abi] < places[abi].n)
                places[abi].of[row->numbers[abi]] = place;
    }
}

const struct syscall_duty *syscall_duty(unsigned abi, uint32_t number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, place_duties);
    if (abi >= SYSCALL_ABIS || number >= places[abi].n || !places[abi].of[number])
        return &none;
    return &duties[places[abi].of[number] - 1].duty;
}

bool syscall_waits(const char *name)
{
    static const char *const list[] = {
#define WAITS(call) #call,
#include "engine/syscalls/waits.def"
#undef WAITS
    };
    const size_t n = strcspn(name, " ");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strlen(list[i]) == n && memcmp(list[i], name, n) == 0)
            return true;
    return false;
}

enum { THREAD = 0x10000 /* CLONE_THREAD of linux/sched.h */ };

int32_t syscall_made_task(const struct syscall_event *e, bool *thread)
{
    const char *name = syscall_name(e->abi, e->number);
    uint64_t flags = 0;
    size_t n = 0;
    *thread = false;
    if (e->kind != SYSCALL_CALL || e->result <= 0 ||
        syscall_duty(e->abi, e->number)->role != ROLE_FORK)
        return 0;
    if (strcmp(name, "clone") == 0)
        flags = e->args[0];
    if (strcmp(name, "clone3") == 0) { /* the first member of struct clone_args */
        const uint8_t *kept = syscall_kept(e, e->args[0], false, &n, NULL);
        if (!kept || n < sizeof flags)
            return 0;
        memcpy(&flags, kept, sizeof flags);
    }
    *thread = flags & THREAD;
    return (int32_t)e->result;
}

const char *syscall_role_name(enum syscall_role role)
{
    static const char *const names[ROLES] = {
        [ROLE_NONE] = "other",        [ROLE_READ] = "read",     [ROLE_WRITE] = "write",
        [ROLE_COPY] = "copy",         [ROLE_OPEN] = "open",     [ROLE_CLOSE] = "close",
        [ROLE_CLOSES] = "close",      [ROLE_DUP] = "dup",       [ROLE_FCNTL] = "fcntl",
        [ROLE_PIPE] = "pipe",         [ROLE_SOCKET] = "socket", [ROLE_PAIR] = "socketpair",
        [ROLE_CONNECT] = "connect",   [ROLE_BIND] = "bind",     [ROLE_ACCEPT] = "accept",
        [ROLE_HANDLE] = "handle",     [ROLE_STAT] = "stat",     [ROLE_ACCESS] = "access",
        [ROLE_REMOVE] = "remove",     [ROLE_RENAME] = "rename", [ROLE_MKDIR] = "mkdir",
        [ROLE_LINK] = "link",         [ROLE_CHDIR] = "chdir",   [ROLE_SYNC] = "sync",
        [ROLE_ATTRIBUTES] = "change", [ROLE_POLL] = "poll",     [ROLE_SLEEP] = "sleep",
        [ROLE_YIELD] = "yield",       [ROLE_FUTEX] = "futex",   [ROLE_WAIT] = "wait",
        [ROLE_FORK] = "fork",         [ROLE_EXEC] = "exec",     [ROLE_EXIT] = "exit",
        [ROLE_MAP] = "map",           [ROLE_UNMAP] = "unmap",   [ROLE_REMAP] = "remap",
        [ROLE_BREAK] = "brk",         [ROLE_IOCTL] = "ioctl",   [ROLE_SIGNAL] = "signal",
        [ROLE_NAME] = "name",         [ROLE_RING] = "io_uring", [ROLE_NODE] = "mknod",
    };
    return role < ROLES ? names[role] : names[ROLE_NONE];
}
