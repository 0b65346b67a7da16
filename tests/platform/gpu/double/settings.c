// Settings and the faults that are asked for, from the environment. A value that makes no sense
// ends the program's attempt to open the GPU: a fault that is silently not injected would make a
// test pass for the wrong reason.
#include "emu.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct emu_settings settings;

static bool bad(const char *name, const char *value, const char *wanted)
{
    fprintf(stderr, "emulated GPU: %s=%s: wanted %s\n", name, value, wanted);
    return false;
}

static bool number(const char *name, uint64_t *into, const char **rest)
{
    const char *value = getenv(name);
    if (!value)
        return true;
    char *end;
    const unsigned long long n = strtoull(value, &end, 10);
    if (end == value || n == 0 || n > UINT32_MAX || (*end && !rest))
        return bad(name, value, "a number from 1 on");
    *into = n;
    if (rest)
        *rest = end;
    return true;
}

// The n-th of something, or "n+": and all after it.
static bool nth(const char *name, struct emu_nth *into)
{
    const char *rest = "";
    if (!getenv(name))
        return true;
    if (!number(name, &into->n, &rest))
        return false;
    if (*rest && strcmp(rest, "+") != 0)
        return bad(name, getenv(name), "n or n+");
    into->and_later = *rest == '+';
    return true;
}

bool emu_is_nth(const struct emu_nth *which, _Atomic uint64_t *counter)
{
    const uint64_t n = atomic_fetch_add(counter, 1) + 1;
    return which->n && (n == which->n || (which->and_later && n > which->n));
}

static bool choice(const char *name, const char *first, const char *second, int *into)
{
    const char *value = getenv(name);
    char wanted[64];
    if (!value)
        return true;
    snprintf(wanted, sizeof wanted, "%s or %s", first, second);
    if (strcmp(value, first) != 0 && strcmp(value, second) != 0)
        return bad(name, value, wanted);
    *into = strcmp(value, first) == 0 ? 1 : 2;
    return true;
}

// All reservations, or only the n-th.
static bool address(struct emu_settings *s)
{
    static const char NAME[] = "ROOFTOP_EMU_ADDRESS", NTH[] = "ROOFTOP_EMU_ADDRESS_NTH";
    int how = 0;
    s->address_nth = (struct emu_nth){.n = 1, .and_later = true};
    if (!choice(NAME, "refuse", "relocate", &how) || !nth(NTH, &s->address_nth))
        return false;
    s->address = (enum emu_address)how;
    return true;
}

static bool read_faults(struct emu_settings *s)
{
    return nth("ROOFTOP_EMU_FAIL_ALLOC", &s->fail_alloc) &&
           nth("ROOFTOP_EMU_FAIL_HANDLE", &s->fail_handle) &&
           nth("ROOFTOP_EMU_FAIL_MAP", &s->fail_map) &&
           nth("ROOFTOP_EMU_FAIL_ACCESS", &s->fail_access) &&
           nth("ROOFTOP_EMU_FAIL_QUEUE", &s->fail_queue) &&
           nth("ROOFTOP_EMU_FAIL_CODE", &s->fail_code) &&
           nth("ROOFTOP_EMU_HANG_COPY", &s->hang_copy) &&
           number("ROOFTOP_EMU_UNCOUNTED", &s->uncounted, NULL) &&
           number("ROOFTOP_EMU_HANG", &s->hang, NULL) &&
           number("ROOFTOP_EMU_PAGE_FAULT", &s->page_fault, NULL) &&
           number("ROOFTOP_EMU_ILLEGAL", &s->illegal, NULL) &&
           number("ROOFTOP_EMU_QUEUE_DIES", &s->queue_dies, NULL);
}

bool emu_settings_read(void)
{
    struct emu_settings s = {.vram_size = 65536,
                             .gpus = 1,
                             .log = getenv("ROOFTOP_EMU_LOG"),
                             .leaks = getenv("ROOFTOP_EMU_LEAKS")};
    int arch = EMU_HAS_VMEM ? 2 : 1;
    uint64_t none = 0, varies = 0, races = 0;
    if (!choice("ROOFTOP_EMU_ISA", "gfx90a", "gfx942", &arch) || !address(&s) ||
        !number("ROOFTOP_EMU_VRAM_MIB", &s.vram_size, NULL) ||
        !number("ROOFTOP_EMU_GPUS", &s.gpus, NULL) || !read_faults(&s) ||
        !number("ROOFTOP_EMU_NO_VMEM", &none, NULL) ||
        !number("ROOFTOP_EMU_VARIES", &varies, NULL) || !number("ROOFTOP_EMU_RACES", &races, NULL))
        return false;
    if (s.gpus > EMU_MOST_GPUS)
        return bad("ROOFTOP_EMU_GPUS", getenv("ROOFTOP_EMU_GPUS"), "8 at most");
    s.arch = arch == 1 ? GCN_GFX90A : GCN_GFX942;
    s.vram_size <<= 20;
    s.no_vmem = none != 0;
    s.varies = varies != 0;
    s.races = races != 0;
    settings = s;
    return true;
}

const struct emu_settings *emu_settings(void)
{
    return &settings;
}

void emu_log(const char *format, ...)
{
    if (!settings.log)
        return;
    FILE *f = fopen(settings.log, "ae");
    if (!f)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(f, format, arguments);
    va_end(arguments);
    fputc('\n', f);
    fclose(f);
}

uint64_t emu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t gpu_clock(void)
{
    return emu_now() / 10;
}
