/* Descriptors that are passed over sockets: SCM_RIGHTS, cmsg(3). */
#include <string.h>
#include <sys/socket.h>

#include "engine/causes/causes_impl.h"
#include "engine/syscalls/calls.h"
#include "engine/syscalls/memory.h"

/* Sizes of struct msghdr and its lists, which have longs of 8 or 4 bytes. */
struct layout {
    size_t size; /* of a long */
    size_t control, length, each;
};

static struct layout find_message_layout(const struct syscall_event *e)
{
    const bool wide = e->abi == SYSCALL_X86_64 || e->abi == SYSCALL_ARM64;
    return wide ? (struct layout){8, 32, 40, 64} : (struct layout){4, 16, 20, 32};
}

static uint64_t long_at(const uint8_t *bytes, size_t size)
{
    uint64_t v = 0;
    memcpy(&v, bytes, size);
    return v;
}

/* True also if the end of the list was not recorded. */
static bool has_rights(const struct syscall_event *e, const struct layout *l, uint64_t address,
                       uint64_t length)
{
    const size_t head = l->size + 8;
    size_t n = 0;
    if (length < head || length > INT32_MAX) /* the kernel refuses these lengths, too */
        return false;
    const uint8_t *kept = syscall_kept(e, address, false, &n, NULL);
    for (uint64_t at = 0; at + head <= length;) {
        uint32_t kind[2];
        if (!kept || at + head > n)
            return true;
        const uint64_t one = long_at(kept + at, l->size);
        memcpy(kind, kept + at + l->size, sizeof kind);
        if (kind[0] == SOL_SOCKET && kind[1] == SCM_RIGHTS)
            return true;
        if (one < head || one > length - at)
            return false; /* the kernel refuses it */
        at += (one + l->size - 1) & ~(uint64_t)(l->size - 1);
    }
    return false;
}

static bool message_has_rights(const struct syscall_event *e, const struct layout *l,
                               uint64_t address)
{
    size_t n = 0;
    const uint8_t *kept = syscall_kept(e, address, false, &n, NULL);
    if (!kept || n < l->length + l->size)
        return true;
    return has_rights(e, l, long_at(kept + l->control, l->size),
                      long_at(kept + l->length, l->size));
}

bool cause_passes_descriptors(const struct syscall_event *e)
{
    const char *name = syscall_name(e->abi, e->number);
    const bool many = strcmp(name, "sendmmsg") == 0;
    const struct layout l = find_message_layout(e);
    if (!many && strcmp(name, "sendmsg") != 0)
        return false;
    const uint64_t n = many ? (uint32_t)e->args[2] : 1;
    for (uint64_t i = 0; i < n; i++)
        if (message_has_rights(e, &l, e->args[1] + i * l.each))
            return true;
    return false;
}
