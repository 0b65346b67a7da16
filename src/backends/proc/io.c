#include "backends/proc/proc_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/common/proc_file.h"
#include "backends/common/proc_parse.h"
#include "base/arena.h"

enum { DEVICES_MAX = 256, TEXT_MIN = 4096, TEXT_MAX = 256 * 1024 };

/* Bridges, bonds, partitions and mapped disks pass on the bytes of a device below them, which a sum
 * would count twice. Only devices with hardware count (a "device" link in /sys); if there are none,
 * as in a container, all devices except loopback and loop disks. */
struct device {
    char name[32];
    bool hardware, seen, seen_before; /* seen: in this poll */
    uint64_t now[2], before[2];       /* bytes in and out since the device started */
};

struct traffic {
    enum io_kind kind;
    const char *path, *sys;
    bool (*next)(const char *buf, size_t n, size_t *at, struct io_line *out);
    const char *virtual_prefix; /* devices with this prefix never count */
    struct kept_file file;
    char *text;
    size_t text_size;
    struct device device[DEVICES_MAX];
    int ndevices;
    bool polled, any_hardware;
};

struct io {
    struct traffic net, disk;
};

struct io *io_open(void)
{
    struct io *io = xcalloc(1, sizeof *io);
    io->net = (struct traffic){.kind = IO_NETWORK,
                               .path = "/proc/net/dev",
                               .sys = "/sys/class/net/%s/device",
                               .next = parse_net_line,
                               .virtual_prefix = "lo"};
    io->disk = (struct traffic){.kind = IO_DISK,
                                .path = "/proc/diskstats",
                                .sys = "/sys/block/%s/device",
                                .next = parse_disk_line,
                                .virtual_prefix = "loop"};
    return io;
}

void io_close(struct io *io)
{
    kept_close(&io->net.file);
    kept_close(&io->disk.file);
    free(io->net.text);
    free(io->disk.text);
    free(io);
}

static struct device *find_device(struct traffic *t, const struct io_line *line)
{
    char path[128];
    for (int i = 0; i < t->ndevices; i++)
        if (strcmp(t->device[i].name, line->name) == 0)
            return &t->device[i];
    if (t->ndevices == DEVICES_MAX || strchr(line->name, '/'))
        return NULL;
    struct device *d = &t->device[t->ndevices++];
    *d = (struct device){0};
    memcpy(d->name, line->name, sizeof d->name);
    snprintf(path, sizeof path, t->sys, line->name);
    d->hardware = file_exists(path);
    return d;
}

/* Removes devices that are gone: if the name comes back later, it is another device. */
static void remove_unseen(struct traffic *t)
{
    int n = 0;
    t->any_hardware = false;
    for (int i = 0; i < t->ndevices; i++) {
        if (!t->device[i].seen)
            continue;
        if (n != i)
            t->device[n] = t->device[i];
        t->any_hardware |= t->device[n++].hardware;
    }
    t->ndevices = n;
}

static bool is_counted_device(const struct traffic *t, const struct device *d)
{
    return t->any_hardware ? d->hardware
                           : strncmp(d->name, t->virtual_prefix, strlen(t->virtual_prefix)) != 0;
}

static ssize_t read_traffic_text(struct traffic *t)
{
    if (!t->text) {
        t->text_size = TEXT_MIN;
        t->text = xcalloc(t->text_size, 1);
    }
    for (;;) {
        ssize_t n = kept_read(&t->file, t->path, t->text, t->text_size);
        if (n < 0 || (size_t)n < t->text_size || t->text_size >= TEXT_MAX)
            return n;
        t->text_size *= 2;
        t->text = xrealloc(t->text, t->text_size, 1);
    }
}

/* Reads the devices in the file; false if it cannot be read. */
static bool poll_traffic(struct traffic *t)
{
    struct io_line line;
    ssize_t n = read_traffic_text(t);
    if (n <= 0)
        return false;
    for (int i = 0; i < t->ndevices; i++) {
        struct device *d = &t->device[i];
        d->seen_before = d->seen;
        d->seen = false;
        memcpy(d->before, d->now, sizeof d->before);
    }
    for (size_t at = 0; t->next(t->text, (size_t)n, &at, &line);) {
        struct device *d = find_device(t, &line);
        if (!d)
            continue;
        d->seen = true;
        d->now[0] = line.in;
        d->now[1] = line.out;
    }
    remove_unseen(t);
    return true;
}

/* The bytes that a device moved since the previous poll. A counter that went backwards was reset
 * (its module was reloaded, 32 bits overflowed), so the amount is unknown. */
static struct value bytes_moved(const struct device *d, int way)
{
    if (!d->seen_before)
        return value_pending(UNIT_BYTES);
    if (d->now[way] < d->before[way])
        return value_missing("a counter of the device stepped back", UNIT_BYTES);
    return value_ok((double)(d->now[way] - d->before[way]), UNIT_BYTES);
}

static struct value sum_device_bytes(const struct traffic *t, int way, uint64_t *raw)
{
    *raw = 0;
    for (int i = 0; i < t->ndevices; i++) {
        const struct device *d = &t->device[i];
        struct value v = bytes_moved(d, way);
        if (!is_counted_device(t, d) || v.validity == VALUE_PENDING)
            continue;
        if (v.validity == VALUE_MISSING)
            return v;
        *raw += d->now[way] - d->before[way];
    }
    return value_ok((double)*raw, UNIT_BYTES);
}

static struct value traffic_rate(struct value v, double seconds)
{
    if (v.validity != VALUE_OK) {
        v.unit = UNIT_BYTES_PER_S;
        return v;
    }
    return seconds > 0 ? value_ok(v.v / seconds, UNIT_BYTES_PER_S)
                       : value_pending(UNIT_BYTES_PER_S);
}

static void add_devices(const struct traffic *t, struct snapshot *out)
{
    for (int i = 0; i < t->ndevices; i++) {
        const struct device *d = &t->device[i];
        out->io[out->nio++] = (struct io_device){
            .kind = t->kind,
            .name = snapshot_strdup(out, d->name),
            .counted = is_counted_device(t, d),
            .in = traffic_rate(bytes_moved(d, 0), out->interval_s),
            .out = traffic_rate(bytes_moved(d, 1), out->interval_s),
        };
    }
}

static void add_traffic_counter(struct snapshot *out, const char *name, const char *spec,
                                const char *desc, struct value delta, uint64_t raw)
{
    struct counter *c = snapshot_add_counter(out);
    c->name = name;
    c->spec = spec;
    c->desc = desc;
    c->source = "proc";
    c->set = "system";
    c->delta = delta;
    c->rate = traffic_rate(delta, out->interval_s);
    if (delta.validity == VALUE_OK) {
        c->raw = raw;
        c->enabled_ns = c->running_ns = (uint64_t)(out->interval_s * 1e9);
    }
}

static void fill_traffic(struct traffic *t, struct snapshot *out, const char *const names[2],
                         const char *const descs[2], const char *missing)
{
    bool had = t->polled;
    t->polled = poll_traffic(t);
    for (int i = 0; i < 2; i++) {
        uint64_t raw = 0;
        struct value v = value_pending(UNIT_BYTES);
        if (!t->polled)
            v = value_missing(missing, UNIT_BYTES);
        else if (had && out->interval_s > 0)
            v = sum_device_bytes(t, i, &raw);
        add_traffic_counter(out, names[i], t->path, descs[i], v, raw);
    }
    if (!t->polled)
        t->ndevices = 0;
}

void io_fill(struct io *io, struct snapshot *out)
{
    static const char *const net[2] = {"network-receive", "network-transmit"};
    static const char *const net_desc[2] = {"Bytes that network devices received.",
                                            "Bytes that network devices sent."};
    static const char *const disk[2] = {"disk-read", "disk-write"};
    static const char *const disk_desc[2] = {"Bytes read from disks.", "Bytes written to disks."};
    fill_traffic(&io->net, out, net, net_desc, "/proc/net/dev could not be read");
    fill_traffic(&io->disk, out, disk, disk_desc, "/proc/diskstats could not be read");
    size_t n = (size_t)io->net.ndevices + (size_t)io->disk.ndevices;
    out->io = n ? snapshot_alloc(out, n * sizeof *out->io) : NULL;
    add_devices(&io->net, out);
    add_devices(&io->disk, out);
}
