/* The JSON documents of a capture; docs/CAPTURE.md lists their members. */
#include <stdio.h>

#include "capture/writer/writer_impl.h"

static const uint64_t number_end = UINT64_C(1) << 53; /* readers keep smaller numbers exact */

/* --- members, each followed by a comma --- */

static void put_json_key(struct writer_text *t, const char *name)
{
    text_put(t, "\"");
    text_put(t, name);
    text_put(t, "\": ");
}

static void put_json_number(struct writer_text *t, const char *name, uint64_t v)
{
    if (v >= number_end)
        return;
    put_json_key(t, name);
    text_number(t, v);
    text_put(t, ", ");
}

/* Leaves out 0, which means unknown. */
static void put_if_known(struct writer_text *t, const char *name, uint64_t v)
{
    if (v)
        put_json_number(t, name, v);
}

static void put_json_string(struct writer_text *t, const char *name, const char *s)
{
    if (!s)
        return;
    put_json_key(t, name);
    text_string(t, s);
    text_put(t, ", ");
}

static void put_json_bool(struct writer_text *t, const char *name, bool v)
{
    put_json_key(t, name);
    text_put(t, v ? "true, " : "false, ");
}

static void put_json_triple(struct writer_text *t, const char *name, const uint32_t v[3])
{
    put_json_key(t, name);
    for (int i = 0; i < 3; i++) {
        text_put(t, i ? ", " : "[");
        text_number(t, v[i]);
    }
    text_put(t, "], ");
}

static void write_sum(struct writer_text *t, const char *name, uint64_t v)
{
    char digits[SUM_TEXT];
    put_json_string(t, name, sum_text(v, digits));
}

/* Removes the comma after the last member and adds the end. */
static void close_with(struct writer_text *t, const char *end)
{
    size_t n = t->n;
    while (n > 0 && (t->p[n - 1] == ' ' || t->p[n - 1] == '\n'))
        n--;
    if (n > 0 && t->p[n - 1] == ',')
        t->n = n - 1;
    text_put(t, end);
}

static void end_line(struct writer_text *t)
{
    while (!t->failed && t->n > 0 && t->p[t->n - 1] == ' ')
        t->n--;
    if (!t->failed && t->n > 0 && t->p[t->n - 1] == '\n') {
        text_put(t, "  ");
        return;
    }
    text_put(t, "\n  ");
}

/* --- dispatch.json --- */

static void write_command_line(struct writer_text *t, const char *const *argv)
{
    if (!argv)
        return;
    put_json_key(t, "command");
    text_put(t, "[");
    for (size_t i = 0; argv[i]; i++) {
        text_put(t, i ? ", " : "");
        text_string(t, argv[i]);
    }
    text_put(t, "], ");
}

static void put_variables(struct writer_text *t, const struct writer_variable *variables, size_t n)
{
    put_json_key(t, "variables");
    text_put(t, "[");
    for (size_t i = 0; i < n; i++) {
        const struct writer_variable *v = &variables[i];
        char file[WRITER_NAME_MAX];
        text_put(t, i ? ",\n    {" : "\n    {");
        put_json_string(t, "name", v->name ? v->name : "");
        put_json_number(t, "address", v->address);
        put_json_number(t, "size", v->size);
        if (v->written) {
            snprintf(file, sizeof file, CAPTURE_VARIABLES "/%zu.bin", i);
            put_json_string(t, "file", file);
            write_sum(t, "checksum", v->checksum);
        }
        close_with(t, "}");
    }
    text_put(t, "], ");
}

static void write_kernel_members(struct writer_text *t, const struct writer_dispatch *d)
{
    put_json_string(t, "mangled_name", d->mangled_name);
    put_json_string(t, "demangled_name", d->demangled_name);
    end_line(t);
    put_json_string(t, "agent_name", d->agent_name);
    put_json_string(t, "isa_name", d->isa_name);
    put_json_string(t, "product_name", d->product_name);
    put_if_known(t, "wavefront_size", d->wavefront_size);
    end_line(t);
    put_if_known(t, "kernel_object", d->kernel_object);
    put_json_triple(t, "grid", d->grid);
    put_json_triple(t, "block", d->block);
    put_json_number(t, "group_segment_size", d->group_segment_size);
    put_json_number(t, "private_segment_size", d->private_segment_size);
    put_json_number(t, "kernarg_size", d->kernarg_size);
    put_if_known(t, "kernarg_address", d->kernarg_address);
    put_if_known(t, "header", d->header);
    put_if_known(t, "setup", d->setup);
}

static void write_origin_members(struct writer_text *t, const struct writer_dispatch *d)
{
    put_json_number(t, "dispatch_index", d->dispatch_index);
    put_if_known(t, "queue_id", d->queue_id);
    put_if_known(t, "pid", d->pid);
    write_command_line(t, d->command);
    put_json_string(t, "host", d->host);
    put_json_string(t, "time", d->time);
    put_json_string(t, "runtime_version", d->runtime_version);
    put_json_string(t, "tool_version", d->tool_version);
    end_line(t);
    put_json_bool(t, "drained", d->drained);
    put_if_known(t, "gpu_ns", d->gpu_ns);
    put_if_known(t, "pause_ns", d->pause_ns);
}

void json_dispatch(struct writer_text *t, const struct capture_writer *w,
                   const struct writer_dispatch *d, const struct writer_variable *variables,
                   size_t n)
{
    text_put(t, "{\n  ");
    put_json_string(t, "format", CAPTURE_FORMAT);
    put_json_number(t, "version", CAPTURE_VERSION);
    end_line(t);
    write_kernel_members(t, d);
    end_line(t);
    write_origin_members(t, d);
    if (d->code_base) {
        put_json_key(t, "code_object");
        text_put(t, "{");
        put_json_number(t, "base", d->code_base);
        put_json_number(t, "size", d->code_size);
        close_with(t, "}, ");
    }
    end_line(t);
    put_variables(t, variables, n);
    end_line(t);
    if (w->has_code) {
        put_json_key(t, "checksums");
        text_put(t, "{");
        write_sum(t, CAPTURE_KERNARG, w->kernarg_sum);
        write_sum(t, CAPTURE_CODE, w->code_sum);
        close_with(t, "}, ");
    }
    close_with(t, "\n}\n");
}

/* --- memory_regions.json --- */

static void write_blob_members(struct writer_text *t, const char *folder, uint64_t base,
                               const struct writer_blob *b)
{
    char file[WRITER_NAME_MAX];
    snprintf(file, sizeof file, "%s/region_%llx.bin%s", folder, (unsigned long long)base,
             b->zstd ? ".zst" : "");
    put_json_string(t, "file", file);
    put_json_string(t, "encoding", b->zstd ? "zstd" : "raw");
    put_json_number(t, "stored", b->stored);
    write_sum(t, "checksum", b->checksum);
}

static void write_region_object(struct writer_text *t, const struct writer_region *r)
{
    text_put(t, "{");
    put_json_number(t, "base", r->base);
    put_json_number(t, "size", r->size);
    put_json_bool(t, "is_pool", r->is_pool);
    put_json_bool(t, "is_vmem", r->is_vmem);
    put_json_bool(t, "contains_kernarg", r->contains_kernarg);
    put_json_number(t, "handle", r->handle);
    put_json_number(t, "access", r->access);
    put_json_string(t, "segment", r->segment);
    if (r->reserved_size) {
        put_json_number(t, "reserved_base", r->reserved_base);
        put_json_number(t, "reserved_size", r->reserved_size);
    }
    if (r->before.written)
        write_blob_members(t, CAPTURE_MEMORY, r->base, &r->before);
    else
        put_json_string(t, "error", r->error[0] ? r->error : "it was not read");
    if (r->before.written && r->after.same)
        put_json_string(t, "after", "same");
    if (r->before.written && r->after.written) {
        put_json_key(t, "after");
        text_put(t, "{");
        write_blob_members(t, CAPTURE_AFTER, r->base, &r->after);
        close_with(t, "}, ");
    }
    close_with(t, "}");
}

void json_regions(struct writer_text *t, const struct writer_region *regions, size_t n)
{
    text_put(t, "{\n  ");
    put_json_number(t, "page_size", CAPTURE_PAGE);
    put_json_number(t, "block_size", CAPTURE_BLOCK);
    end_line(t);
    put_json_key(t, "regions");
    text_put(t, "[");
    bool first = true;
    for (size_t i = 0; i < n; i++) {
        if (regions[i].size == 0) /* no memory */
            continue;
        text_put(t, first ? "\n    " : ",\n    ");
        write_region_object(t, &regions[i]);
        first = false;
    }
    text_put(t, "\n  ]\n}\n");
}
