/* Why a host was lost: the last words of its launcher, and what would help. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "backends/fleet/fleet_ssh_impl.h"

enum { ANY = -1, SSH_FAILED = 255 /* ssh(1), EXIT STATUS */, NOT_RUN = 126, NOT_FOUND = 127 };
#define COPY "copy the static one (make portable) there, or name it: --host-rooftop PATH"

/* The first row counts whose status and words are those of the launcher. */
static const struct lost_row {
    int status;
    const char *words; /* a part of the last line */
    const char *help;
} lost_rows[] = {
    {SSH_FAILED, "Permission denied", "it needs a key or an agent: ssh-copy-id HOST"},
    {SSH_FAILED, "Host key verification failed", "log in once by hand to see its key: ssh HOST"},
    {SSH_FAILED, "Could not resolve", "does ssh know this name?"},
    {SSH_FAILED, "Connection refused", "does sshd run there, on this port?"},
    {SSH_FAILED, "timed out", "is it up, and its network?"},
    {SSH_FAILED, "No route to host", "is it up, and its network?"},
    {NOT_FOUND, "", COPY},
    {ANY, "Exec format error", "that program is for another processor: " COPY},
    {ANY, "GLIBC", COPY},
    {NOT_RUN, "Permission denied", "chmod +x it there"},
    {ANY, "No such file or directory", COPY}, /* srun, whose status is 2 */
    {2, "rooftop: --", "the rooftop there is an older one: copy this one there"},
};

static const char *find_lost_help(int status, const char *told)
{
    for (size_t i = 0; i < sizeof lost_rows / sizeof *lost_rows; i++) {
        const struct lost_row *r = &lost_rows[i];
        if ((r->status == ANY || r->status == status) && strstr(told, r->words))
            return r->help;
    }
    return "";
}

void fleet_link_tell_lost(const struct fleet_link *l, struct fleet *f, int status)
{
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    char why[FLEET_REASON];
    if (l->refused[0]) {
        fleet_set_state(f, l->host, FLEET_LOST, "%s", l->refused);
        return;
    }
    if (l->told[0])
        snprintf(why, sizeof why, "%s", l->told);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "it was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, sizeof why, "it ended with status %d", code);
    const char *help = find_lost_help(code, l->told);
    /* what helps is not cut: of a long line the begin is enough */
    const int room = (int)sizeof why - (int)strlen(help) - 3;
    fleet_set_state(f, l->host, FLEET_LOST, "%.*s%s%s", room, why, help[0] ? "; " : "", help);
}
