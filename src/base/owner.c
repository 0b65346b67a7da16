#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"

enum { TEXT = 8192 };

/* Reads a small file into text and terminates it; "" if it cannot be read. */
static const char *read_owner_text(char text[TEXT], const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

/* --- the process --- */

/* Reads field 22 of /proc/PID/stat; 0 if the process does not run. The name in parentheses may
 * contain anything, so fields are counted after the last parenthesis. */
static uint64_t start_ticks(pid_t pid)
{
    char path[512], text[TEXT];
    read_owner_text(text, env_path(path, sizeof path, "/proc/%d/stat", (int)pid));
    char *at = strrchr(text, ')');
    if (at && at[1] == ' ' && (at[2] == 'Z' || at[2] == 'X'))
        return 0;
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at, NULL, 10) : 0;
}

static bool read_owner_status(pid_t pid, struct owner_process *out)
{
    char path[512], text[TEXT];
    unsigned effective, saved;
    read_owner_text(text, env_path(path, sizeof path, "/proc/%d/status", (int)pid));
    const char *uid = strstr(text, "\nUid:"), *inner = strstr(text, "\nNSpid:");
    if (!uid || sscanf(uid, "\nUid: %*u %u %u", &effective, &saved) != 2)
        return false;
    out->user = effective == saved ? (uid_t)effective : OWNER_NOBODY;
    out->inner = pid;
    if (inner) {
        inner += strlen("\nNSpid:");
        size_t line = strcspn(inner, "\n"), last = line;
        while (last > 0 && inner[last - 1] != '\t')
            last--;
        if (last > 0)
            out->inner = atoi(inner + last);
    }
    return true;
}

/* Reads the user before the start time: if the id were reused between the two reads, the start time
 * would not be the expected one. */
bool owner_of_process(pid_t pid, struct owner_process *out)
{
    *out = (struct owner_process){.user = OWNER_NOBODY, .inner = pid};
    if (!read_owner_status(pid, out))
        return false;
    out->start_ticks = start_ticks(pid);
    return out->start_ticks != 0;
}

bool owner_process_hidden(pid_t pid)
{
    struct owner_process p;
    return !owner_of_process(pid, &p) && kill(pid, 0) != 0 && errno == EPERM;
}

/* --- the file --- */

/* Returns the uid that stands for all users who have no number in this user namespace. */
static uid_t find_overflow_uid(void)
{
    char path[512], text[TEXT];
    unsigned first = 0, lower = 0, count = UINT32_MAX;
    read_owner_text(text, env_path(path, sizeof path, "/proc/self/uid_map"));
    if (!*text || (sscanf(text, "%u %u %u", &first, &lower, &count) == 3 && first == 0 &&
                   count == UINT32_MAX))
        return OWNER_NOBODY;
    read_owner_text(text, env_path(path, sizeof path, "/proc/sys/kernel/overflowuid"));
    return *text ? (uid_t)strtoul(text, NULL, 10) : 65534;
}

const char *owner_refuses(const struct stat *state, uid_t user)
{
    return owner_rule(state, user, find_overflow_uid());
}

const char *owner_refuses_named(const struct stat *state, uid_t user)
{
    const char *why = owner_refuses(state, user);
    if (!why && S_ISREG(state->st_mode) && state->st_nlink > 1)
        why = "it has another name too";
    return why;
}

int owner_open(const char *path, uid_t user, struct stat *state, const char **why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        *why = errno == ELOOP ? "it is a link" : strerror(errno);
        return -1;
    }
    if (fstat(fd, state) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(state->st_mode))
        *why = "it is not a regular file";
    else
        *why = owner_refuses_named(state, user);
    if (!*why)
        return fd;
    close(fd);
    return -1;
}
