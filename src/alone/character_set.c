#include "alone/character_set.h"

#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/linkage.h"

static bool wants_utf8(void)
{
    const char *name = env_get("LC_ALL");
    if (!name)
        name = env_get("LC_CTYPE");
    if (!name)
        name = env_get("LANG");
    return name && (strcasestr(name, ".UTF-8") || strcasestr(name, ".utf8"));
}

/*
 * A C library that is linked in reads only locales of its own version, which the archive has. The
 * variable is there for this call only: started programs have another C library.
 */
static bool take_from_archive(void)
{
    char exe[PATH_MAX], folder[PATH_MAX + 32];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (!slash)
        return false;
    *slash = '\0';
    snprintf(folder, sizeof folder, "%s/../share/rooftop/locale", exe);
    const char *was = env_get("LOCPATH");
    char *saved = was ? xstrdup(was) : NULL;
    env_put("LOCPATH", folder);
    const bool taken = setlocale(LC_CTYPE, "C.UTF-8");
    env_put("LOCPATH", saved);
    free(saved);
    return taken;
}

void character_set_take(void)
{
    if (!LINKAGE_ALONE && setlocale(LC_CTYPE, ""))
        return;
    if (wants_utf8() && !(LINKAGE_ALONE && take_from_archive()))
        setlocale(LC_CTYPE, "C.UTF-8");
}
