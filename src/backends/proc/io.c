#include "backends/proc/io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/proc/file.h"
#include "backends/proc/parse.h"
#include "base/arena.h"

enum { DEVICES_MAX = 256, TEXT_MIN = 4096, TEXT_MAX = 256 * 1024 };

/*
 * Bridges, bonds, partitions and mapped disks hand on what a device below them moved: adding them
 * up would count it twice. Counted are devices that have hardware behind them (a "device" link in
 * /sys); where there is none at all, as in a container, everything but loopback and loop disks.
 */
struct device {
    char name[32];
    bool hardware;
    uint64_t in, out; /* at the previous poll */
};

struct traffic {
    const char *path, *sys;
    bool (*next)(const char *buf, size_t n, size_t *at, struct io_line *out);
    const char *virtual_prefix; /* never counted */
    struct kept_file file;
    char *text;
    size_t text_size;
    struct device device[DEVICES_MAX];
    int ndevices;
    bool polled;
    uint64_t moved_in, moved_out; /* since the previous poll */
};

struct io {
    struct traffic net, disk;
};

struct io *io_open(void)
{
    struct io *io = xcalloc(1, sizeof *io);
    io->net = (struct traffic){.path = "/proc/net/dev",
                               .sys = "/sys/class/net/%s/device",
                               .next = parse_net_line,
                               .virtual_prefix = "lo"};
    io->disk = (struct traffic){.path = "/proc/diskstats",
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
    memcpy(d->name, line->name, sizeof d->name);
    snprintf(path, sizeof path, t->sys, line->name);
    d->hardware = file_exists(path);
    d->in = line->in;
    d->out = line->out;
    return d;
}

static bool counts(const struct traffic *t, const struct device *d, bool any_hardware)
{
    return any_hardware ? d->hardware
                        : strncmp(d->name, t->virtual_prefix, strlen(t->virtual_prefix)) != 0;
}

static ssize_t read_text(struct traffic *t)
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

/* Whether the file could be read; then moved_in and moved_out are set. */
static bool poll_traffic(struct traffic *t)
{
    struct io_line line;
    bool any_hardware = false;
    ssize_t n = read_text(t);
    if (n <= 0)
        return false;
    for (size_t at = 0; t->next(t->text, (size_t)n, &at, &line);) {
        const struct device *d = find_device(t, &line);
        any_hardware |= d && d->hardware;
    }
    t->moved_in = t->moved_out = 0;
    for (size_t at = 0; t->next(t->text, (size_t)n, &at, &line);) {
        struct device *d = find_device(t, &line);
        if (!d)
            continue;
        if (counts(t, d, any_hardware)) {
            t->moved_in += line.in > d->in ? line.in - d->in : 0;
            t->moved_out += line.out > d->out ? line.out - d->out : 0;
        }
        d->in = line.in;
        d->out = line.out;
    }
    return true;
}

static void add(struct snapshot *out, const char *name, const char *spec, const char *desc,
                struct value delta, uint64_t raw)
{
    struct counter *c = snapshot_add_counter(out);
    c->name = name;
    c->spec = spec;
    c->desc = desc;
    c->source = "proc";
    c->set = "system";
    c->delta = delta;
    c->rate = delta;
    c->rate.unit = UNIT_BYTES_PER_S;
    if (delta.validity == VALUE_OK) {
        c->raw = raw;
        c->enabled_ns = c->running_ns = (uint64_t)(out->interval_s * 1e9);
        c->rate = value_ok((double)raw / out->interval_s, UNIT_BYTES_PER_S);
    }
}

static void fill(struct traffic *t, struct snapshot *out, const char *const names[2],
                 const char *const descs[2], const char *missing)
{
    bool had = t->polled;
    bool readable = poll_traffic(t);
    uint64_t moved[2] = {t->moved_in, t->moved_out};
    for (int i = 0; i < 2; i++) {
        struct value v = !readable                      ? value_missing(missing, UNIT_BYTES)
                         : !had || out->interval_s <= 0 ? value_pending(UNIT_BYTES)
                                                        : value_ok((double)moved[i], UNIT_BYTES);
        add(out, names[i], t->path, descs[i], v, moved[i]);
    }
    t->polled = readable;
}

void io_fill(struct io *io, struct snapshot *out)
{
    static const char *const net[2] = {"network-receive", "network-transmit"};
    static const char *const net_desc[2] = {"Bytes that network devices received.",
                                            "Bytes that network devices sent."};
    static const char *const disk[2] = {"disk-read", "disk-write"};
    static const char *const disk_desc[2] = {"Bytes read from disks.", "Bytes written to disks."};
    fill(&io->net, out, net, net_desc, "/proc/net/dev could not be read");
    fill(&io->disk, out, disk, disk_desc, "/proc/diskstats could not be read");
}
