#include "cli/replay/replay_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { QUIET_MS = 100, LOOK_MS = 200 };

int replay_watch_open(struct replay_watch *w, const char *file, struct error *err)
{
    char folder[4096] = ".";
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", slash == file ? 1 : (int)(slash - file), file);
    snprintf(w->name, sizeof w->name, "%s", name);
    w->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (w->fd >= 0 && inotify_add_watch(w->fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) >= 0)
        return 0;
    const int code = errno;
    replay_watch_close(w);
    return error_set(err, ERROR_INPUT, code, NULL, file, "cannot be watched: %s", strerror(code));
}

void replay_watch_close(struct replay_watch *w)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = -1;
}

/* Whether the events that arrived concern the file. If the queue overflowed, they may have. */
static bool take_events(struct replay_watch *w)
{
    alignas(struct inotify_event) char buffer[8192];
    bool saved = false;
    for (ssize_t n; (n = read(w->fd, buffer, sizeof buffer)) > 0;)
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(buffer + at);
            saved = saved || (e->mask & IN_Q_OVERFLOW) || (e->len && strcmp(e->name, w->name) == 0);
            at += (ssize_t)sizeof *e + e->len;
        }
    return saved;
}

int replay_watch_wait(struct replay_watch *w, const volatile sig_atomic_t *stopped)
{
    bool saved = false;
    while (!*stopped) {
        struct pollfd p = {w->fd, POLLIN, 0};
        const int n = poll(&p, 1, saved ? QUIET_MS : LOOK_MS);
        if (n > 0)
            saved |= take_events(w);
        else if (n == 0 && saved)
            return 0;
    }
    return -1;
}
