#include "base/state_dir.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/env.h"

bool state_dir(char *out, size_t size)
{
    const char *state = env_get("XDG_STATE_HOME"), *home = env_get("HOME");
    int n = 0;
    if (state && state[0] == '/')
        n = snprintf(out, size, "%s/rooftop", state);
    else if (home && home[0] == '/')
        n = snprintf(out, size, "%s/.local/state/rooftop", home);
    if (n > 0 && (size_t)n < size)
        return true;
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
