#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#include "base/env.h"

static uint64_t said;

/* Returns the number after a word at the start of a line or, if word is "", the first number in the
 * file. */
static uint64_t find_number_after_word(const char *path, const char *word)
{
    char line[256];
    unsigned long long v;
    uint64_t found = UINT64_MAX;
    FILE *f = fopen(path, "re");
    while (f && found == UINT64_MAX && fgets(line, sizeof line, f))
        if (strncmp(line, word, strlen(word)) == 0 && sscanf(line + strlen(word), "%llu", &v) == 1)
            found = v;
    if (f)
        fclose(f);
    return found;
}

/* Returns the bytes that one cgroup (v2) may still use: its limit minus the memory in use that the
 * kernel cannot reclaim. */
static uint64_t left_in(const char *cgroup)
{
    char path[4200];
    static const char root[] = "/sys/fs/cgroup";
    uint64_t most =
        find_number_after_word(env_path(path, sizeof path, "%s%s/memory.max", root, cgroup), "");
    uint64_t used = find_number_after_word(
        env_path(path, sizeof path, "%s%s/memory.current", root, cgroup), "");
    uint64_t files = find_number_after_word(
        env_path(path, sizeof path, "%s%s/memory.stat", root, cgroup), "inactive_file ");
    if (most == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    used -= files != UINT64_MAX && files < used ? files : 0;
    return most > used ? most - used : 0;
}

/* Returns the smallest result of left_in for our cgroup and its ancestors: each has a limit. */
static uint64_t left_in_cgroups(void)
{
    char path[4200], line[4096], *cgroup = NULL;
    uint64_t least = UINT64_MAX;
    FILE *f = fopen(env_path(path, sizeof path, "/proc/self/cgroup"), "re");
    while (f && !cgroup && fgets(line, sizeof line, f))
        if (strncmp(line, "0::", 3) == 0)
            cgroup = line + 3;
    if (f)
        fclose(f);
    if (!cgroup)
        return least;
    cgroup[strcspn(cgroup, "\n")] = '\0';
    for (;;) {
        uint64_t left = left_in(strcmp(cgroup, "/") == 0 ? "" : cgroup);
        char *slash = strrchr(cgroup, '/');
        least = left < least ? left : least;
        if (!slash || !cgroup[1])
            break;
        slash[slash == cgroup] = '\0'; /* the parent; the root is called "/" */
    }
    return least;
}

uint64_t memory_free(void)
{
    char path[64];
    uint64_t kb =
        find_number_after_word(env_path(path, sizeof path, "/proc/meminfo"), "MemAvailable:");
    uint64_t machine = kb < UINT64_MAX / 1024 ? kb * 1024 : UINT64_MAX;
    uint64_t cgroups = left_in_cgroups();
    return machine < cgroups ? machine : cgroups;
}

void memory_set_limit(uint64_t bytes)
{
    said = bytes;
}

uint64_t memory_limit(void)
{
    uint64_t free_bytes = said ? said : memory_free();
    return said || free_bytes == UINT64_MAX ? free_bytes : free_bytes / 4 * 3;
}
