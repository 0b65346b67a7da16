#include "backends/processes/processes_impl.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "base/arena.h"
#include "base/env.h"
#include "base/linkage.h"

enum { NAME_SIZE = 33, USERS_MAX = 4096 };

struct user {
    uid_t uid;
    char name[NAME_SIZE];
};
struct users {
    struct user *known; /* users seen so far, in that order */
    int nknown, cap;
    struct user *passwd;
    int npasswd;
};

/* Parses name:password:uid:... */
static bool parse_passwd_entry(char *line, struct user *out)
{
    char *name = strsep(&line, ":"), *password = line ? strsep(&line, ":") : NULL, *end;
    if (!password || !line || !*name)
        return false;
    unsigned long uid = strtoul(line, &end, 10);
    if (end == line || *end != ':')
        return false;
    out->uid = (uid_t)uid;
    snprintf(out->name, sizeof out->name, "%.32s", name);
    return true;
}

struct users *users_open(void)
{
    struct users *u = xcalloc(1, sizeof *u);
    char path[512], line[1024];
    int cap = 0;
    FILE *f = fopen(env_path(path, sizeof path, "/etc/passwd"), "re");
    while (f && u->npasswd < USERS_MAX && fgets(line, sizeof line, f)) {
        if (u->npasswd == cap) {
            cap = cap ? cap * 2 : 64;
            u->passwd = xrealloc(u->passwd, (size_t)cap, sizeof *u->passwd);
        }
        if (parse_passwd_entry(line, &u->passwd[u->npasswd]))
            u->npasswd++;
    }
    if (f)
        fclose(f);
    return u;
}

/* Asks LDAP and similar services: the C library loads and asks what nsswitch.conf names. One that
 * is linked in would load what belongs to another version. */
static bool ask_directory(uid_t uid, char out[NAME_SIZE])
{
    char buf[4096];
    struct passwd pw, *found = NULL;
    if (LINKAGE_ALONE || file_recorded() || getpwuid_r(uid, &pw, buf, sizeof buf, &found) != 0 ||
        !found)
        return false;
    snprintf(out, NAME_SIZE, "%.32s", found->pw_name);
    return true;
}

static void name_user(struct users *u, struct user *who)
{
    for (int i = 0; i < u->npasswd; i++)
        if (u->passwd[i].uid == who->uid) {
            memcpy(who->name, u->passwd[i].name, sizeof who->name);
            return;
        }
    if (!ask_directory(who->uid, who->name))
        snprintf(who->name, sizeof who->name, "%lu", (unsigned long)who->uid);
}

int users_index(struct users *u, uid_t uid)
{
    for (int i = 0; i < u->nknown; i++)
        if (u->known[i].uid == uid)
            return i;
    if (u->nknown == USERS_MAX)
        return 0;
    if (u->nknown == u->cap) {
        u->cap = u->cap ? u->cap * 2 : 16;
        u->known = xrealloc(u->known, (size_t)u->cap, sizeof *u->known);
    }
    struct user *who = &u->known[u->nknown];
    *who = (struct user){.uid = uid};
    name_user(u, who);
    return u->nknown++;
}

const char *users_name(const struct users *u, int index)
{
    return u->known[index].name;
}

int users_count(const struct users *u)
{
    return u->nknown;
}

void users_close(struct users *u)
{
    free(u->known);
    free(u->passwd);
    free(u);
}
