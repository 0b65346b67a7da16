/* Identifies the CPU, and so the event tables to use. */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/perf_event/catalog_rows.h"
#include "backends/perf_event/pmu_sysfs.h"
#include "base/env.h"

static const struct event_def no_events[] = {{0}};

const struct arch_def arch_table[] = {
    {"zen3", "AMD Zen 3", catalog_zen3, 6, 0},
    {"zen4", "AMD Zen 4", catalog_zen4, 6, 0},
    {"zen5", "AMD Zen 5", catalog_zen5, 6, 0},
    {"skl", "Intel Skylake family", catalog_skl, 4, 3},
    {"icl", "Intel Ice Lake family", catalog_icl, 8, 4},
    {"spr", "Intel Sapphire Rapids family", catalog_spr, 8, 4},
    {"adl", "Intel hybrid (Alder, Raptor Lake)", catalog_adl, 6, 3},
    {"neoverse_n1", "Arm Neoverse N1", catalog_armv8, 6, 1},
    {"neoverse_n2", "Arm Neoverse N2", catalog_neoverse, 6, 1},
    {"neoverse_v1", "Arm Neoverse V1", catalog_neoverse, 6, 1},
    {"neoverse_v2", "Arm Neoverse V2", catalog_neoverse, 6, 1},
    {"armv8_slots", "Arm PMUv3 with slots", catalog_armv8_slots, 6, 1},
    {"armv8", "Arm PMUv3", catalog_armv8, 6, 1},
    {"generic", "a CPU known by generic events only", catalog_generic, 4, 0},
    {"none", "no core PMU", no_events, 0, 0},
    {0},
};

const struct arch_def *arch_find(const char *key)
{
    for (const struct arch_def *a = arch_table; a->key; a++)
        if (strcmp(a->key, key) == 0)
            return a;
    return NULL;
}

/* Family and models for each vendor. Source: linux arch/x86/include/asm/intel-family.h;
 * kernel/cpu/amd.c. */
static const struct cpu_family {
    char vendor; /* A or I */
    int family, first, last;
    const char *key;
} models[] = {
    {'A', 0x19, 0x00, 0x0f, "zen3"}, {'A', 0x19, 0x10, 0x1f, "zen4"},
    {'A', 0x19, 0x20, 0x5f, "zen3"}, {'A', 0x19, 0x60, 0x7f, "zen4"},
    {'A', 0x19, 0xa0, 0xaf, "zen4"}, {'A', 0x1a, 0x00, 0x4f, "zen5"},
    {'A', 0x1a, 0x60, 0x7f, "zen5"}, {'I', 6, 0x4e, 0x4e, "skl"},
    {'I', 6, 0x5e, 0x5e, "skl"},     {'I', 6, 0x55, 0x55, "skl"},
    {'I', 6, 0x8e, 0x8e, "skl"},     {'I', 6, 0x9e, 0x9e, "skl"},
    {'I', 6, 0xa5, 0xa6, "skl"},     {'I', 6, 0x6a, 0x6a, "icl"},
    {'I', 6, 0x6c, 0x6c, "icl"},     {'I', 6, 0x7d, 0x7e, "icl"},
    {'I', 6, 0x8c, 0x8d, "icl"},     {'I', 6, 0xa7, 0xa7, "icl"},
    {'I', 6, 0x8f, 0x8f, "spr"},     {'I', 6, 0xcf, 0xcf, "spr"},
    {'I', 6, 0xad, 0xae, "spr"},     {'I', 6, 0x97, 0x97, "adl"},
    {'I', 6, 0x9a, 0x9a, "adl"},     {'I', 6, 0xb7, 0xb7, "adl"},
    {'I', 6, 0xba, 0xba, "adl"},     {'I', 6, 0xbf, 0xbf, "adl"},
};

/* Copies the value after "key :" in the first block of /proc/cpuinfo, or "". */
static void cpuinfo_field(const char *text, const char *key, char *out, size_t size)
{
    size_t len = strlen(key);
    *out = 0;
    for (const char *p = text; p && *p; p = strchr(p, '\n'), p = p ? p + 1 : p) {
        if (strncmp(p, key, len) != 0 || !strchr(" \t:", p[len]))
            continue;
        p += strcspn(p, ":\n");
        if (*p != ':')
            continue;
        p += 1 + strspn(p + 1, " \t");
        snprintf(out, size, "%.*s", (int)strcspn(p, "\n"), p);
        return;
    }
}

static const char *x86_key(const char *cpuinfo, bool hybrid)
{
    char vendor[32], family[16], model[16];
    cpuinfo_field(cpuinfo, "vendor_id", vendor, sizeof vendor);
    cpuinfo_field(cpuinfo, "cpu family", family, sizeof family);
    cpuinfo_field(cpuinfo, "model", model, sizeof model);
    char letter = strcmp(vendor, "GenuineIntel") == 0 ? 'I' : 0;
    if (strcmp(vendor, "AuthenticAMD") == 0)
        letter = 'A';
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const struct cpu_family *m = &models[i];
        if (m->vendor != letter || m->family != atoi(family) || atoi(model) < m->first ||
            atoi(model) > m->last)
            continue;
        if (strcmp(m->key, "adl") == 0 && !hybrid)
            /* with E-cores switched off the kernel has one PMU, that of the P-cores */
            return "spr";
        return hybrid && strcmp(m->key, "adl") != 0 ? "generic" : m->key;
    }
    return "generic";
}

/* Part numbers of implementer 0x41 (Arm). Source: linux arch/arm64/include/asm/cputype.h */
static const char *arm_key(const char *cpuinfo)
{
    static const struct {
        long part;
        const char *key;
    } parts[] = {{0xd0c, "neoverse_n1"},
                 {0xd40, "neoverse_v1"},
                 {0xd49, "neoverse_n2"},
                 {0xd4f, "neoverse_v2"}};
    char path[PATH_MAX], text[64];
    long implementer, part;
    env_path(path, sizeof path, "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
    if (pmu_read_file(path, text, sizeof text) == 0 && *text) {
        unsigned long long midr = strtoull(text, NULL, 16);
        implementer = (long)(midr >> 24 & 0xff);
        part = (long)(midr >> 4 & 0xfff);
    } else {
        cpuinfo_field(cpuinfo, "CPU implementer", text, sizeof text);
        implementer = strtol(text, NULL, 0);
        cpuinfo_field(cpuinfo, "CPU part", text, sizeof text);
        part = strtol(text, NULL, 0);
    }
    for (size_t i = 0; implementer == 0x41 && i < sizeof parts / sizeof *parts; i++)
        if (parts[i].part == part)
            return parts[i].key;
    return "armv8";
}

enum { CPUINFO_READ = 4096 };

/* Reads only the first CPU of /proc/cpuinfo; reading hundreds would be slow. */
static void read_cpuinfo_start(char out[CPUINFO_READ])
{
    char path[PATH_MAX];
    int fd = open(env_path(path, sizeof path, "/proc/cpuinfo"), O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, out, CPUINFO_READ - 1);
    if (fd >= 0)
        close(fd);
    out[got > 0 ? got : 0] = 0;
}

const char *arch_of_cpu(void)
{
    char cpuinfo[CPUINFO_READ], text[16];
    read_cpuinfo_start(cpuinfo);
    cpuinfo_field(cpuinfo, "CPU implementer", text, sizeof text);
    return *text ? arm_key(cpuinfo) : x86_key(cpuinfo, false);
}

static const char *detect_key(const struct pmu *cores, size_t n)
{
    char cpuinfo[CPUINFO_READ];
    if (!n)
        return "none";
    read_cpuinfo_start(cpuinfo);
    if (strncmp(cores[0].name, "armv8", 5) == 0 || strncmp(cores[0].name, "armv9", 5) == 0)
        return n == 1 ? arm_key(cpuinfo) : "armv8";
    return x86_key(cpuinfo, n > 1);
}

static struct arch_def slotted; /* "armv8_slots8" */
static char slotted_key[24];

static const struct arch_def *find_arch_of_cores(void)
{
    struct pmu cores[CORE_PMUS_MAX];
    size_t n = pmu_cores(cores);
    const char *key = detect_key(cores, n);
    long slots = n && strcmp(key, "armv8") == 0 ? pmu_number(cores[0].name, "caps/slots") : -1;
    if (slots <= 0 || slots > 64)
        return arch_find(key);
    slotted = *arch_find("armv8_slots");
    snprintf(slotted_key, sizeof slotted_key, "armv8_slots%ld", slots);
    slotted.key = slotted_key;
    return &slotted;
}

const struct arch_def *arch_detect(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char cached_root[PATH_MAX];
    static const struct arch_def *cached;
    char root[PATH_MAX];
    env_path(root, sizeof root, "/");
    pthread_mutex_lock(&lock);
    if (!cached || strcmp(root, cached_root) != 0) {
        cached = find_arch_of_cores();
        snprintf(cached_root, sizeof cached_root, "%s", root);
    }
    const struct arch_def *found = cached;
    pthread_mutex_unlock(&lock);
    return found;
}
