/* Which calls waited for the other end of what their descriptor stands for. */
#include <string.h>

#include "engine/facts/descriptors.h"
#include "engine/syscalls/roles.h"

static bool works_on_descriptor(const struct syscall_duty *duty)
{
    switch ((enum syscall_role)duty->role) {
    case ROLE_READ:
    case ROLE_WRITE:
    case ROLE_COPY:
    case ROLE_CONNECT:
    case ROLE_ACCEPT:
    case ROLE_IOCTL:
        return duty->fd >= 0;
    default:
        return false;
    }
}

static bool is_terminal_path(const char *name)
{
    static const char *const paths[] = {"/dev/tty", "/dev/pts/", "/dev/ptmx", "/dev/console"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (strncmp(name, paths[i], strlen(paths[i])) == 0)
            return true;
    return false;
}

static const char memory_file[] = "memfd_create"; /* a handle, whose calls are work */

/* Whether somebody else fills or empties it: no file, whose calls are work of the kernel and of a
 * disk. What a standard stream is, is not known: standard input is taken for a pipe or a terminal,
 * the output, which may be a file on a slow disk, is not. */
static bool has_other_end(const struct descriptor_object *o, enum syscall_role role)
{
    if (o->kind == DESCRIPTOR_STANDARD)
        return role == ROLE_READ;
    if (o->kind == DESCRIPTOR_FILE)
        return is_terminal_path(o->name);
    return strncmp(o->name, memory_file, sizeof memory_file - 1) != 0;
}

bool descriptors_waited(const struct descriptors *d, const struct syscall_event *e)
{
    const struct syscall_duty *duty = syscall_duty(e->abi, e->number);
    if (e->kind != SYSCALL_CALL || e->flags & SYSCALL_NO_ENTRY || syscall_is_operation(e) ||
        syscall_ns(e) < DESCRIPTOR_WAIT_NS || !works_on_descriptor(duty))
        return false;
    const struct descriptor_object *o = descriptors_of(d, e->pid, (int)(int32_t)e->args[duty->fd]);
    return o && has_other_end(o, (enum syscall_role)duty->role);
}
