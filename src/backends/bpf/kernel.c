#include "backends/bpf/bpf_impl.h"

#include <errno.h>
#include <linux/btf.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backends/common/proc_file.h"

/* The numbers of the types that functions have, see kernel_types_load. */
enum { FUNCTION = 3, FUNCTION_ALONE = 7 };

static int bpf_call(int command, union bpf_attr *attr)
{
    const long rc = syscall(SYS_bpf, command, attr, sizeof *attr);
    return rc < 0 ? -errno : (int)rc;
}

static uint64_t address_for_kernel(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

int kernel_map(unsigned type, uint32_t key, uint32_t value, uint32_t entries, uint32_t flags)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.map_type = type;
    attr.key_size = key;
    attr.value_size = value;
    attr.max_entries = entries;
    attr.map_flags = flags;
    snprintf(attr.map_name, sizeof attr.map_name, "rooftop_trace");
    return bpf_call(BPF_MAP_CREATE, &attr);
}

static int call_map_element(int command, int map, const void *key, uint64_t value)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.map_fd = (uint32_t)map;
    attr.key = address_for_kernel(key);
    attr.value = value;
    return bpf_call(command, &attr);
}

int kernel_map_set(int map, const void *key, const void *value)
{
    return call_map_element(BPF_MAP_UPDATE_ELEM, map, key, address_for_kernel(value));
}

int kernel_map_get(int map, const void *key, void *value)
{
    return call_map_element(BPF_MAP_LOOKUP_ELEM, map, key, address_for_kernel(value));
}

int kernel_map_drop(int map, const void *key)
{
    return call_map_element(BPF_MAP_DELETE_ELEM, map, key, 0);
}

int kernel_map_next(int map, const void *key, void *next)
{
    return call_map_element(BPF_MAP_GET_NEXT_KEY, map, key, address_for_kernel(next));
}

/* Reads "0-3,8-11": one more than the last number. */
uint32_t kernel_cpus(void)
{
    char text[1024];
    const long there = sysconf(_SC_NPROCESSORS_CONF);
    uint32_t most = there > 0 ? (uint32_t)there : 1;
    if (file_line("/sys/devices/system/cpu/possible", text, sizeof text) <= 0)
        return most;
    const size_t digits = strlen(text) - strspn(text, "0123456789-,");
    const char *last = digits ? text : text + strlen(text);
    while (last > text && last[-1] >= '0' && last[-1] <= '9')
        last--;
    const unsigned long n = strtoul(last, NULL, 10) + 1;
    return n > most && n <= 65536 ? (uint32_t)n : most;
}

/* The kernel accepts functions only with a description of their types. The verifier itself tracks
 * the registers of a static function, so one description is enough for all of them: static int
 * rooftop(void). Functions that stand alone are int rooftop(struct rooftop *a, int a, int a). */
int kernel_types_load(uint32_t size)
{
    enum { NAME_INT = 1, NAME_ROOFTOP = 5, ARGUMENTS = 3 };
    enum { INT = 1, PROTO = 2, SHARED = 4, POINTER = 5, PROTO_ALONE = 6 };
    const struct {
        struct btf_header head;
        struct btf_type number;
        uint32_t encoding;
        struct btf_type proto, function, shared, pointer, proto_alone;
        struct btf_param arguments[ARGUMENTS];
        struct btf_type function_alone;
        char strings[sizeof "\0int\0rooftop"];
    } btf = {
        .head = {.magic = BTF_MAGIC,
                 .version = BTF_VERSION,
                 .hdr_len = sizeof(struct btf_header),
                 .type_len = offsetof(__typeof__(btf), strings) - sizeof(struct btf_header),
                 .str_off = offsetof(__typeof__(btf), strings) - sizeof(struct btf_header),
                 .str_len = sizeof btf.strings},
        .number = {.name_off = NAME_INT, .info = BTF_KIND_INT << 24, .size = 4},
        .encoding = BTF_INT_SIGNED << 24 | 32,
        .proto = {.info = BTF_KIND_FUNC_PROTO << 24, .type = INT},
        .function = {.name_off = NAME_ROOFTOP, .info = BTF_KIND_FUNC << 24, .type = PROTO},
        .shared = {.name_off = NAME_ROOFTOP, .info = BTF_KIND_STRUCT << 24, .size = size},
        .pointer = {.info = BTF_KIND_PTR << 24, .type = SHARED},
        .proto_alone = {.info = BTF_KIND_FUNC_PROTO << 24 | ARGUMENTS, .type = INT},
        .arguments = {{NAME_INT, POINTER}, {NAME_INT, INT}, {NAME_INT, INT}},
        .function_alone = {.name_off = NAME_ROOFTOP,
                           .info = BTF_KIND_FUNC << 24 | BTF_FUNC_GLOBAL,
                           .type = PROTO_ALONE},
        .strings = "\0int\0rooftop",
    };
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.btf = address_for_kernel(&btf);
    attr.btf_size = offsetof(__typeof__(btf), strings) + sizeof btf.strings;
    return bpf_call(BPF_BTF_LOAD, &attr);
}

/* The verifier gives up with EAGAIN when a signal waits for the thread (kernel/bpf/verifier.c,
 * do_check). So signals are blocked meanwhile, such as those of a timer or a resized window. The
 * kernel's own work for the thread (the end of an io_uring, for example) cannot be blocked, but is
 * done when the call returns, before the next attempt. */
static int load_without_signals(union bpf_attr *attr)
{
    enum { ATTEMPTS = 100 };
    sigset_t all, before;
    int rc;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (int i = 0; (rc = bpf_call(BPF_PROG_LOAD, attr)) == -EAGAIN && i < ATTEMPTS; i++)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

int kernel_program(const struct code *c, int types, char *why, size_t size)
{
    struct bpf_func_info functions[CODE_FUNCTIONS];
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
    attr.insns = address_for_kernel(c->list);
    attr.insn_cnt = (uint32_t)c->n;
    attr.license = address_for_kernel("GPL"); /* required by the helpers that read memory */
    snprintf(attr.prog_name, sizeof attr.prog_name, "rooftop_trace");
    for (uint32_t i = 0; i < c->nfunctions; i++)
        functions[i] = (struct bpf_func_info){
            .insn_off = c->functions[i], .type_id = c->stands_alone[i] ? FUNCTION_ALONE : FUNCTION};
    if (types >= 0) {
        attr.prog_btf_fd = (uint32_t)types;
        attr.func_info = address_for_kernel(functions);
        attr.func_info_cnt = c->nfunctions;
        attr.func_info_rec_size = sizeof functions[0];
    }
    const int rc = load_without_signals(&attr);
    if (rc >= 0 || !why || size == 0)
        return rc;
    attr.log_level = 1;
    attr.log_buf = address_for_kernel(why);
    attr.log_size = (uint32_t)size;
    load_without_signals(&attr);
    return rc;
}

int kernel_attach(int program, const char *tracepoint)
{
    union bpf_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.raw_tracepoint.name = address_for_kernel(tracepoint);
    attr.raw_tracepoint.prog_fd = (uint32_t)program;
    return bpf_call(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

uint64_t kernel_program_missed(int program)
{
    struct bpf_prog_info info;
    union bpf_attr attr;
    memset(&info, 0, sizeof info);
    memset(&attr, 0, sizeof attr);
    attr.info.bpf_fd = (uint32_t)program;
    attr.info.info = address_for_kernel(&info);
    attr.info.info_len = sizeof info;
    return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr) == 0 ? info.recursion_misses : 0;
}
