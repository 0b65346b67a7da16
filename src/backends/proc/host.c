#include "backends/proc/proc_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "backends/common/proc_file.h"
#include "backends/common/proc_parse.h"
#include "base/env.h"

static void set_text(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text);
}

/* --- names --- */

static void read_host_names(struct host *h)
{
    struct utsname u;
    char line[128];
    bool known = uname(&u) == 0;
    if (file_line("/proc/sys/kernel/hostname", line, sizeof line) > 0)
        snprintf(h->hostname, sizeof h->hostname, "%.64s", line);
    else if (known)
        snprintf(h->hostname, sizeof h->hostname, "%.64s", u.nodename);
    if (file_line("/proc/sys/kernel/osrelease", line, sizeof line) > 0)
        snprintf(h->kernel, sizeof h->kernel, "Linux %.72s", line);
    else if (known)
        snprintf(h->kernel, sizeof h->kernel, "Linux %.72s", u.release);
    if (file_line("/proc/sys/kernel/arch", line, sizeof line) > 0)
        snprintf(h->arch, sizeof h->arch, "%.23s", line);
    else if (known)
        snprintf(h->arch, sizeof h->arch, "%.23s", u.machine);
}

/* Reads PRETTY_NAME of os-release(5), without its quotes. */
static void read_os(struct host *h)
{
    char text[4096];
    if (file_read("/etc/os-release", text, sizeof text) <= 0 &&
        file_read("/usr/lib/os-release", text, sizeof text) <= 0)
        return;
    for (char *rest = text, *line; (line = strsep(&rest, "\n"));) {
        if (strncmp(line, "PRETTY_NAME=", 12) != 0)
            continue;
        char *v = line + 12;
        size_t n = strlen(v);
        if (n >= 2 && (*v == '"' || *v == '\'') && v[n - 1] == *v) {
            v[n - 1] = '\0';
            v++;
        }
        snprintf(h->os, sizeof h->os, "%.95s", v);
        return;
    }
}

/* --- processor --- */

/* Arm reports only numbers: implementer and part of MIDR_EL1, as in Arm's technical reference
 * manuals (arch/arm64/include/asm/cputype.h). */
static const struct {
    unsigned implementer, part;
    const char *name;
} arm_parts[] = {
    {0x41, 0xd03, "Arm Cortex-A53"},  {0x41, 0xd07, "Arm Cortex-A57"},
    {0x41, 0xd08, "Arm Cortex-A72"},  {0x41, 0xd0b, "Arm Cortex-A76"},
    {0x41, 0xd0c, "Arm Neoverse N1"}, {0x41, 0xd40, "Arm Neoverse V1"},
    {0x41, 0xd49, "Arm Neoverse N2"}, {0x41, 0xd4f, "Arm Neoverse V2"},
    {0x41, 0xd84, "Arm Neoverse V3"}, {0x41, 0xd8e, "Arm Neoverse N3"},
    {0x46, 0x001, "Fujitsu A64FX"},   {0x48, 0xd01, "HiSilicon Kunpeng 920"},
    {0xc0, 0xac3, "Ampere-1"},        {0xc0, 0xac4, "Ampere-1a"},
};

static void name_arm(struct host *h, unsigned implementer, unsigned part)
{
    for (size_t i = 0; i < sizeof arm_parts / sizeof *arm_parts; i++)
        if (arm_parts[i].implementer == implementer && arm_parts[i].part == part) {
            set_text(h->cpu_model, sizeof h->cpu_model, arm_parts[i].name);
            return;
        }
    snprintf(h->cpu_model, sizeof h->cpu_model, "implementer 0x%02x part 0x%03x", implementer,
             part);
}

static const char *after_colon(const char *line)
{
    const char *colon = strchr(line, ':');
    return colon ? colon + 1 + strspn(colon + 1, " \t") : "";
}

/* Reads the first processor of /proc/cpuinfo. Returns whether the CPU says that it is virtual. */
static bool read_processor(struct host *h)
{
    char path[512], line[8192];
    unsigned implementer = 0, part = 0;
    bool is_virtual = false;
    FILE *f = fopen(env_path(path, sizeof path, "/proc/cpuinfo"), "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (!*line && (*h->cpu_model || part))
            break;
        if (!strncmp(line, "model name", 10))
            snprintf(h->cpu_model, sizeof h->cpu_model, "%.95s", after_colon(line));
        else if (!strncmp(line, "CPU implementer", 15))
            implementer = (unsigned)strtoul(after_colon(line), NULL, 0);
        else if (!strncmp(line, "CPU part", 8))
            part = (unsigned)strtoul(after_colon(line), NULL, 0);
        else if (!strncmp(line, "flags", 5))
            is_virtual = strstr(line, " hypervisor") != NULL;
    }
    if (f)
        fclose(f);
    if (!*h->cpu_model && part)
        name_arm(h, implementer, part);
    return is_virtual;
}

/* --- hypervisor --- */

#if defined(__x86_64__) || defined(__i386__)
/* CPUID leaf 0x40000000, EBX ECX EDX, as documented by each vendor. */
static const struct {
    const char *signature, *name;
} hypervisors[] = {
    {"KVMKVMKVM", "KVM"},       {"Linux KVM Hv", "KVM"},       {"Microsoft Hv", "Hyper-V"},
    {"VMwareVMware", "VMware"}, {"XenVMMXenVMM", "Xen"},       {"TCGTCGTCGTCG", "QEMU TCG"},
    {"bhyve bhyve ", "bhyve"},  {" lrpepyh  vr", "Parallels"}, {"VBoxVBoxVBox", "VirtualBox"},
    {"ACRNACRNACRN", "ACRN"},   {"IntelTDX    ", "TDX"},
};

static const char *cpuid_hypervisor(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    char signature[13] = "";
    if (file_recorded() || !__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31 & 1))
        return NULL;
    __cpuid(0x40000000, a, b, c, d);
    memcpy(signature, &b, 4);
    memcpy(signature + 4, &c, 4);
    memcpy(signature + 8, &d, 4);
    for (size_t i = 0; i < sizeof hypervisors / sizeof *hypervisors; i++)
        if (strcmp(signature, hypervisors[i].signature) == 0)
            return hypervisors[i].name;
    return NULL;
}
#else
static const char *cpuid_hypervisor(void)
{
    return NULL;
}
#endif

/* The hypervisor by the firmware's names for the board, if the CPU does not tell. */
static const char *dmi_hypervisor(void)
{
    static const char *const names[][2] = {{"KVM", "KVM"},
                                           {"QEMU", "QEMU"},
                                           {"VMware", "VMware"},
                                           {"VirtualBox", "VirtualBox"},
                                           {"Xen", "Xen"},
                                           {"Bochs", "Bochs"},
                                           {"Google Compute", "KVM"},
                                           {"Virtual Machine", "Hyper-V"}};
    static const char *const files[] = {"/sys/class/dmi/id/product_name",
                                        "/sys/class/dmi/id/sys_vendor"};
    char line[128];
    for (size_t f = 0; f < 2; f++) {
        if (file_line(files[f], line, sizeof line) <= 0)
            continue;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (strstr(line, names[i][0]))
                return names[i][1];
    }
    return NULL;
}

static void read_host_hypervisor(struct host *h, bool is_virtual)
{
    char type[24];
    const char *name = cpuid_hypervisor();
    bool x86 = !strcmp(h->arch, "x86_64") || !strncmp(h->arch, "i", 1);
    if (name) {
        set_text(h->hypervisor, sizeof h->hypervisor, name);
    } else if (file_line("/sys/hypervisor/type", type, sizeof type) > 0) {
        set_text(h->hypervisor, sizeof h->hypervisor, type);
    } else if (is_virtual || !x86) { /* a cloud's bare-metal board also has the cloud's name */
        name = dmi_hypervisor();
        if (name || is_virtual)
            set_text(h->hypervisor, sizeof h->hypervisor, name ? name : "unknown hypervisor");
        else if (file_exists("/proc/device-tree/hypervisor/compatible"))
            set_text(h->hypervisor, sizeof h->hypervisor, "hypervisor (device tree)");
    }
}

/* --- container --- */

static void read_host_container(struct host *h)
{
    static const char *const marks[][2] = {{"kubepods", "kubernetes"},
                                           {"docker", "docker"},
                                           {"libpod", "podman"},
                                           {"lxc", "lxc"},
                                           {"containerd", "containerd"}};
    char text[4096];
    const char *name = NULL;
    if (file_exists("/var/run/secrets/kubernetes.io"))
        name = "kubernetes";
    else if (file_exists("/run/.containerenv"))
        name = "podman";
    else if (file_exists("/.dockerenv"))
        name = "docker";
    else if (file_line("/run/systemd/container", text, 32) > 0)
        name = text;
    else if (!file_recorded() && env_get("container"))
        name = env_get("container");
    else if (file_read("/proc/1/cgroup", text, sizeof text) > 0)
        for (size_t i = 0; !name && i < sizeof marks / sizeof *marks; i++)
            if (strstr(text, marks[i][0]))
                name = marks[i][1];
    if (name)
        snprintf(h->container, sizeof h->container, "%.31s", name);
}

void host_identify(struct host *h)
{
    char text[4096];
    struct mem_info mem;
    read_host_names(h);
    read_os(h);
    bool is_virtual = read_processor(h);
    read_host_hypervisor(h, is_virtual);
    read_host_container(h);
    h->paranoid = (int)file_number("/proc/sys/kernel/perf_event_paranoid", -100);
    h->nmi_watchdog = file_number("/proc/sys/kernel/nmi_watchdog", 0) == 1;
    ssize_t n = file_read("/proc/meminfo", text, sizeof text);
    if (n > 0) {
        parse_meminfo(text, (size_t)n, &mem);
        h->mem_total = mem.total;
    }
}
