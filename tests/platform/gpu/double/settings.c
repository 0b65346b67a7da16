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

bool emu_settings_read(void)
{
    struct emu_settings s = {.vram_size = 65536, .log = getenv("ROOFTOP_EMU_LOG")};
    int arch = EMU_HAS_VMEM ? 2 : 1, address = 0;
    uint64_t none = 0;
    const char *rest = "";
    if (!choice("ROOFTOP_EMU_ISA", "gfx90a", "gfx942", &arch) ||
        !choice("ROOFTOP_EMU_ADDRESS", "refuse", "relocate", &address) ||
        !number("ROOFTOP_EMU_VRAM_MIB", &s.vram_size, NULL) ||
        !number("ROOFTOP_EMU_FAIL_ALLOC", &s.fail_alloc, &rest) ||
        !number("ROOFTOP_EMU_HANG", &s.hang, NULL) ||
        !number("ROOFTOP_EMU_PAGE_FAULT", &s.page_fault, NULL) ||
        !number("ROOFTOP_EMU_ILLEGAL", &s.illegal, NULL) ||
        !number("ROOFTOP_EMU_QUEUE_DIES", &s.queue_dies, NULL) ||
        !number("ROOFTOP_EMU_NO_VMEM", &none, NULL))
        return false;
    if (*rest && strcmp(rest, "+") != 0)
        return bad("ROOFTOP_EMU_FAIL_ALLOC", getenv("ROOFTOP_EMU_FAIL_ALLOC"), "n or n+");
    s.fail_alloc_from = *rest == '+';
    s.arch = arch == 1 ? GCN_GFX90A : GCN_GFX942;
    s.address = (enum emu_address)address;
    s.vram_size <<= 20;
    s.no_vmem = none != 0;
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

uint64_t emu_gpu_clock(void)
{
    return emu_now() / 10;
}
