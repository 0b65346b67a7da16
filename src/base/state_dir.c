#include "base/state_dir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/owner.h"

/*
 * Returns why the folder must not be used. If it does not exist yet, its parent's owner is checked.
 */
static const char *why_unsafe(const char *dir)
{
    char path[512];
    struct stat state;
    snprintf(path, sizeof path, "%s", dir);
    if (stat(path, &state) == 0)
        return owner_refuses(&state, geteuid());
    while (stat(path, &state) != 0) {
        char *slash = strrchr(path, '/');
        if (!slash || slash == path)
            return NULL;
        *slash = '\0';
    }
    state.st_mode &= ~(mode_t)(S_IWGRP | S_IWOTH); /* such as /tmp */
    return owner_refuses(&state, geteuid());
}

static bool keep_out(char *out, const char *why, struct error *err)
{
    char what[192];
    snprintf(what, sizeof what, "keep nothing in %.160s", out);
    *out = '\0';
    error_set(err, ERROR_PERMISSION, EPERM,
              "name a folder of your own in XDG_STATE_HOME; under sudo, -H gives root's", what,
              "%s", why);
    return false;
}

bool state_dir(char *out, size_t size, struct error *err)
{
    const char *state = env_get("XDG_STATE_HOME"), *home = env_get("HOME");
    int n = 0;
    if (state && state[0] == '/')
        n = snprintf(out, size, "%s/rooftop", state);
    else if (home && home[0] == '/')
        n = snprintf(out, size, "%s/.local/state/rooftop", home);
    if (n > 0 && (size_t)n < size) {
        const char *why = why_unsafe(out);
        return !why || keep_out(out, why, err);
    }
    *out = '\0';
    return false;
}

int state_dir_make(const char *dir)
{
    char path[512];
    int n = snprintf(path, sizeof path, "%s", dir);
    if (n < 0 || (size_t)n >= sizeof path)
        return -ENAMETOOLONG;
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = '\0';
            mkdir(path, 0700);
            *p = '/';
        }
    return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : -errno;
}
