#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture/capture_impl.h"
#include "gpu/hsa_version.h"

static hsa_status_t read_isa_name(hsa_isa_t isa, void *data)
{
    char *name = data;
    uint32_t len = 0;
    if (!*name && hsa.isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &len) == HSA_STATUS_SUCCESS &&
        len < 64)
        hsa.isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
    return HSA_STATUS_SUCCESS;
}

static void describe_agent(struct capture_state *s)
{
    const hsa_agent_t agent = s->launch->queue->agent;
    uint16_t major, minor;
    hsa.agent_get_info(agent, HSA_AGENT_INFO_NAME, s->agent);
    hsa.agent_get_info(agent, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME, s->product);
    hsa.agent_get_info(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE, &s->d.wavefront_size);
    hsa.agent_iterate_isas(agent, read_isa_name, s->isa);
    hsa_version(hsa.system_get_info, &major, &minor);
    snprintf(s->version, sizeof s->version, "%u.%u", major, minor);
}

static void describe_command(struct capture_state *s)
{
    const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, s->words, sizeof s->words - 1) : -1;
    unsigned words = 0;
    if (fd >= 0)
        close(fd);
    for (ssize_t at = 0; at < n && words < SNAPSHOT_WORDS;
         at += (ssize_t)strnlen(s->words + at, (size_t)(n - at)) + 1)
        s->command[words++] = s->words + at;
    s->d.command = words ? s->command : NULL;
}

void snapshot_describe(struct capture_state *s)
{
    struct timespec now;
    const hsa_kernel_dispatch_packet_t *p = &s->launch->packet;
    const struct seen_name *name = s->launch->kernel->name;
    describe_agent(s);
    describe_command(s);
    clock_gettime(CLOCK_REALTIME, &now);
    date_text(now.tv_sec, s->time);
    uname(&s->host);
    struct writer_dispatch *d = &s->d;
    d->mangled_name = name->mangled;
    d->demangled_name = name->demangled;
    d->agent_name = s->agent;
    d->isa_name = *s->isa ? s->isa : NULL;
    d->product_name = *s->product ? s->product : NULL;
    d->host = s->host.nodename;
    d->time = s->time;
    d->runtime_version = s->version;
    d->tool_version = ROOFTOP_VERSION;
    memcpy(d->grid, (uint32_t[]){p->grid_size_x, p->grid_size_y, p->grid_size_z}, sizeof d->grid);
    memcpy(d->block, (uint32_t[]){p->workgroup_size_x, p->workgroup_size_y, p->workgroup_size_z},
           sizeof d->block);
    d->group_segment_size = p->group_segment_size;
    d->private_segment_size = p->private_segment_size;
    d->header = p->header;
    d->setup = p->setup;
    d->kernel_object = p->kernel_object;
    d->kernarg_address = (uint64_t)(uintptr_t)p->kernarg_address;
    d->kernarg_size = s->kernarg_size;
    d->dispatch_index = s->launch->index;
    d->queue_id = s->launch->queue->id;
    d->pid = (uint64_t)getpid();
    d->code_base = s->object.base;
    d->code_size = s->object.size;
    d->drained = s->drained;
}
