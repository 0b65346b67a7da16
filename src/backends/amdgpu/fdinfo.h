/*
 * What DRM reports about the clients of a graphics driver: /proc/PID/fdinfo/FD. Several descriptors
 * may belong to one client, which counts once. Compute through KFD is not included.
 */
#ifndef ROOFTOP_BACKENDS_AMDGPU_FDINFO_H
#define ROOFTOP_BACKENDS_AMDGPU_FDINFO_H

#include "engine/live/gpus.h"

struct fdinfo {
    char driver[32], pci[16];
    uint64_t client;
    uint64_t vram, gtt;                 /* bytes */
    uint64_t gfx, compute, copy, video; /* ns of engine time since the client started */
    bool has_vram, has_gtt, has_engine;
};
/* Parses one file. False where it is not a DRM client or names no driver. */
bool fdinfo_parse(struct fdinfo *out, const char *text, size_t n);
/* Whether a name in a folder of the kernel is a number: a pid, a descriptor. */
bool fdinfo_is_number(const char *text);

struct fdinfo_watch;
struct fdinfo_watch *fdinfo_new(void);
void fdinfo_free(struct fdinfo_watch *w);
/* Adds the usage of the clients of the GPUs in b to its processes. */
void fdinfo_gather(struct fdinfo_watch *w, struct gpus_build *b, uint64_t now_ns);

#endif
