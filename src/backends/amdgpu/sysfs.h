/*
 * One graphics card of amdgpu as sysfs has it: /sys/class/drm/cardN/device and its hwmon. What
 * would wait or wake the GPU is not read: pcie_bw (a second each), a GPU that sleeps.
 */
#ifndef ROOFTOP_BACKENDS_AMDGPU_SYSFS_H
#define ROOFTOP_BACKENDS_AMDGPU_SYSFS_H

#include "backends/amdgpu/metrics.h"
#include "engine/live/gpus.h"

enum { AMD_CARDS_MAX = 64 };
struct amd_card {
    int number;        /* of cardN */
    char device[64];   /* "/sys/class/drm/card0/device" */
    char pci[16];      /* "0000:c1:00.0" */
    char hwmon[128];   /* "" = none */
    unsigned did, rev; /* PCI device and revision */
};

/* Cards whose driver is amdgpu, by number; connectors are no cards. How many, at most
 * AMD_CARDS_MAX. */
int amd_cards(struct amd_card *out);
/* Kept of a card: the reading before, for what is a difference, and what never changes. */
struct amd_before {
    char pci[16];
    struct metrics metrics;
    uint64_t time_ns;
    bool valid;
    char name[128]; /* of libdrm's table; looked up once */
    bool named;
};
void amd_describe(const struct amd_card *c, struct gpus_build *b, int gpu,
                  struct amd_before *before);
/* What it would be woken by is then not read. */
bool amd_asleep(const struct amd_card *c);
extern const char amd_sleeps[]; /* the reason */
/* Everything that changes. before: of this card, updated. */
void amd_now(const struct amd_card *c, struct gpus_build *b, int gpu, struct amd_before *before,
             uint64_t now_ns);

#endif
