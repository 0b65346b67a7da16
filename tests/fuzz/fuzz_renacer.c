/* Saved traces of system calls: any file is read or refused, and what is read can be judged. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/renacer/trace_file.h"
#include "engine/causes/causes.h"
#include "engine/facts/facts.h"
#include "engine/golden/golden.h"
#include "engine/syscalls/functions.h"

struct both {
    struct run_facts *facts;
    struct golden_builder *builder;
    struct syscall_functions functions;
    struct causes *causes;
};

static void on_event(void *ctx, const struct syscall_event *e)
{
    struct both *b = ctx;
    causes_add(b->causes, e);
    if (e->kind == SYSCALL_ENTRY)
        return;
    run_facts_add(b->facts, e);
    golden_builder_add(b->builder, e);
    if (e->kind == SYSCALL_CALL)
        syscall_functions_add(&b->functions, e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    struct syscall_trace_file file;
    struct golden g;
    struct error err = ERROR_INIT;
    struct both both = {run_facts_new(), golden_builder_new(GOLDEN_ORDER, NULL), {0}, NULL};
    struct syscall_sink sink = {.event = on_event, .ctx = &both, .entries = true};
    both.causes = causes_new(NULL, NULL);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    syscall_trace_read(path, NULL, &sink, &file, &err);
    close(fd);
    causes_free(both.causes);
    syscall_functions_free(&both.functions);
    run_facts_finish(both.facts);
    run_facts_free(both.facts);
    if (golden_builder_end(both.builder, &g, &err) == 0)
        golden_free(&g);
    return 0;
}
