/*
 * One card of amdgpu in sysfs: /sys/class/drm/cardN/device and its hwmon. Files that would wait or
 * wake the GPU are not read: pcie_bw (takes a second), and those of a sleeping GPU.
 */
#ifndef ROOFTOP_BACKENDS_AMDGPU_SYSFS_H
#define ROOFTOP_BACKENDS_AMDGPU_SYSFS_H

#include "backends/amdgpu/metrics.h"
#include "engine/live/gpus.h"

enum { AMD_CARDS_MAX = 64 };
struct amd_card {
    int number;        /* N of cardN */
    char device[64];   /* "/sys/class/drm/card0/device" */
    char pci[16];      /* "0000:c1:00.0" */
    char hwmon[128];   /* "": none */
    unsigned did, rev; /* PCI device and revision */
};

/*
 * Lists the cards whose driver is amdgpu, by number, without connectors. Returns how many, at most
 * AMD_CARDS_MAX.
 */
int amd_cards(struct amd_card *out);
/* What is kept of a card: the previous sample, for differences, and what never changes. */
struct amd_before {
    char pci[16];
    struct metrics metrics;
    uint64_t time_ns;
    bool valid;
    char name[128]; /* from libdrm's table; looked up once */
    bool named;
};
void amd_describe(const struct amd_card *c, struct gpus_build *b, int gpu,
                  struct amd_before *before);
/* Whether the GPU sleeps; then files that would wake it are not read. */
bool amd_asleep(const struct amd_card *c);
extern const char amd_sleeps[]; /* the reason */
/* Reads everything that changes. before: that of this card; updated. */
void amd_now(const struct amd_card *c, struct gpus_build *b, int gpu, struct amd_before *before,
             uint64_t now_ns);

#endif
