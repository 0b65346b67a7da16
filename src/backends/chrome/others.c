/*
 * Devices whose events do not have Kineto's categories for GPUs.
 *
 * XLA (JAX, TensorFlow): each device is a process, "/device:GPU:0", "/device:TPU:0"; the names of
 * its lanes identify them. Work of a GPU is in "Stream #14(Compute)" and similar lanes, of other
 * devices in "XLA Ops"; the other lanes ("Steps", "XLA Modules", "Framework Ops") tell what the
 * work was for. Names of processes and lanes come before all events. Source: exports of XProf
 * (trace_viewer), and openxla.org/xprof/trace_viewer.
 *
 * MTIA: category "mtia_ccp_events", with a process for each device: kernels, requests of its DMA
 * engine, waits for events and their recording. Source: traces in the tests of Holistic Trace
 * Analysis.
 *
 * rocprof (the first one, with --hip-trace and the like) and rocmProfileData's rpd2tracing.py: a
 * process "GPU3" for each device. rocprof has a process "COPY" for the copies of all devices, whose
 * "dev-id" tells which, and one for packets that only order others. Sources: bin/tblextr.py and
 * bin/sqlitedb.py of ROCm/rocprofiler; tools/rpd2tracing.py of ROCm/rocmProfileData; names of
 * copies: rocclr/utils/util.hpp of ROCm/clr.
 */
#include <stdlib.h>
#include <string.h>

#include "backends/chrome/chrome_impl.h"
#include "base/text.h"
#include "engine/trace/blit.h"

static const char *chrome_name_text(const struct chrome_store *s, uint32_t name)
{
    return name == GRAPH_NONE ? "" : graph_text(s->trace->calls, name);
}

/* --- XLA --- */

/* Reads the device's number from "/device:GPU:3", perhaps followed by other text. */
static void set_device(struct chrome_event *e, const char *process)
{
    const char *colon = strrchr(process, ':');
    char *end;
    unsigned long v = strtoul(colon + 1, &end, 10);
    if (end == colon + 1 || v >= UINT32_MAX || e->have & HAS_DEVICE)
        return;
    e->device = (uint32_t)v;
    e->have |= HAS_DEVICE;
}

/* Reads the numbers after "key:" in "regs:32 grid:24,1,1". False: the key is missing. */
static bool read_detail(const char *details, const char *key, uint32_t *out, int n)
{
    size_t length = strlen(key);
    const char *at = details;
    while ((at = strstr(at, key)) != NULL &&
           !(at[length] == ':' && (at == details || at[-1] == ' ')))
        at += length;
    if (!at)
        return false;
    at += length;
    for (int i = 0; i < n && (i == 0 || *at == ','); i++) {
        char *end;
        unsigned long v = strtoul(at + 1, &end, 10); /* after the colon, or a comma */
        if (end == at + 1)
            return i > 0;
        out[i] = v < UINT32_MAX ? (uint32_t)v : 0;
        at = end;
    }
    return true;
}

static void read_details(struct chrome_event *e)
{
    uint32_t fixed = 0, asked = 0, bytes = 0;
    const char *kind = strstr(e->details, "kind:");
    read_detail(e->details, "grid", e->grid, 3);
    read_detail(e->details, "block", e->block, 3);
    if (read_detail(e->details, "regs", &e->registers, 1))
        e->have |= HAS_REGISTERS;
    bool known = read_detail(e->details, "static_shared", &fixed, 1);
    known |= read_detail(e->details, "dynamic_shared", &asked, 1);
    if (known && fixed <= UINT32_MAX - asked) {
        e->shared_bytes = fixed + asked;
        e->have |= HAS_SHARED;
    }
    if (read_detail(e->details, "size", &bytes, 1))
        e->bytes = bytes;
    if (kind) {
        size_t n = strcspn(kind + 5, " ");
        n = n < sizeof e->direction ? n : sizeof e->direction - 1;
        memcpy(e->direction, kind + 5, n);
        e->direction[n] = '\0';
    }
}

/* copy-start and copy-done are HLO's asynchronous copies (xla/hlo/ir/hlo_opcode.h of OpenXLA). */
static bool is_copy(const char *lane, const char *name)
{
    static const char *const names[] = {"Memcpy", "Memset", "copy-start", "copy-done"};
    bool copy = strstr(lane, "Memcpy") || strstr(lane, "Memset");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        copy |= text_begins(name, names[i]);
    return copy;
}

static enum chrome_what what_of_xla(const char *process, const char *lane, const char *name)
{
    bool gpu = text_begins(process, "/device:GPU");
    bool work = gpu ? text_begins(lane, "Stream #")
                    : strcmp(lane, "XLA Ops") == 0 || strcmp(lane, "Async XLA Ops") == 0;
    if (!work)
        return CHROME_ANNOTATION;
    return is_copy(lane, name) ? CHROME_COPY : CHROME_KERNEL;
}

static void recognise_xla(struct chrome_event *e, const char *process, const char *lane)
{
    if (text_begins(process, "/device:CPU"))
        return;
    e->what = what_of_xla(process, lane, e->name);
    set_device(e, process);
    read_details(e);
}

/* --- rocprof, rocmProfileData --- */

static enum chrome_what what_of_rocprof(const char *process, const struct chrome_event *e)
{
    static const char *const copies[] = {"CopyHostTo", "CopyDeviceTo", "FillBuffer"};
    bool copy = strcmp(process, "COPY") == 0;
    if (text_begins(process, "GPU Barriers") || text_begins(e->kind, "UserMarker"))
        return CHROME_ANNOTATION;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        copy |= text_begins(e->name, copies[i]);
    return copy || trace_is_blit(e->name) ? CHROME_COPY : CHROME_KERNEL;
}

/* Reads the device's number from "GPU3". */
static bool is_gpu_process(const char *process, uint32_t *number)
{
    char *end = NULL;
    unsigned long v = text_begins(process, "GPU") ? strtoul(process + 3, &end, 10) : 0;
    bool is = end && end > process + 3 && !*end && process[3] >= '0' && process[3] <= '9';
    *number = (uint32_t)v;
    return is && v < UINT32_MAX;
}

static void recognise_rocprof(struct chrome_event *e, const char *process)
{
    uint32_t number = 0;
    bool gpu = is_gpu_process(process, &number);
    bool told = e->have & HAS_DEVICE && e->have & IN_NS; /* rocprof told the device */
    if (!gpu && !(told && (strcmp(process, "COPY") == 0 || text_begins(process, "GPU Barriers"))))
        return;
    if (*e->description)
        memcpy(e->kind, e->description, sizeof e->kind);
    e->what = what_of_rocprof(process, e);
    if (gpu) {
        e->device = number;
        e->have |= HAS_DEVICE;
    }
}

/* --- all --- */

static enum chrome_what what_of_mtia(const char *name)
{
    if (text_begins(name, "event_"))
        return CHROME_ANNOTATION;
    return text_begins(name, "dma_") ? CHROME_COPY : CHROME_KERNEL;
}

/* Recognises work by the names of its process and lane. */
static void recognise_named(struct chrome_store *s, struct chrome_event *e)
{
    uint32_t i = chrome_lane_of(s, e);
    if (i == CHROME_NONE)
        return;
    const struct chrome_lane *lane = &s->lanes.at[i];
    const char *process = chrome_name_text(s, s->processes.at[lane->process].name);
    if (text_begins(process, "/device:"))
        recognise_xla(e, process, chrome_name_text(s, lane->name));
    else
        recognise_rocprof(e, process);
}

void chrome_recognise_work(struct chrome_store *s, struct chrome_event *e)
{
    if (e->what == CHROME_KERNEL && trace_is_blit(e->name))
        e->what = CHROME_COPY;
    if (e->what != CHROME_OTHER || s->rooftop || !strchr("XB", e->phase) || !e->phase)
        return;
    if (strcmp(e->category, "mtia_ccp_events") == 0)
        e->what = what_of_mtia(e->name);
    else if (!*e->category)
        recognise_named(s, e);
}
