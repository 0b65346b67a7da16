#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/capture_impl.h"
#include "capture/gate.h"
#include "format/capture.h"

enum { TRIES = 100000, UNKNOWN_KERNARG = 4096 };

static bool fail_capture(struct capture_state *s, const char *why)
{
    snprintf(s->why, sizeof s->why, "%s", why);
    return false;
}

/* --- contents of a capture --- */

/* Guesses the size as the rest of the region, if the code object does not have it. */
static uint64_t guess_kernarg_size(const struct capture_state *s, uint64_t at)
{
    const struct track_source *from = track_source(&s->list, at);
    const uint64_t left = from ? from->base + from->size - at : UNKNOWN_KERNARG - at % CAPTURE_PAGE;
    return left < UNKNOWN_KERNARG ? left : UNKNOWN_KERNARG;
}

static bool copy_launch_kernarg(struct capture_state *s)
{
    const uint64_t at = (uint64_t)(uintptr_t)s->launch->packet.kernarg_address;
    const void *elf = code_data(s->object.code);
    const size_t size = code_size(s->object.code);
    struct captured_symbol symbol;
    for (size_t i = 0; code_next_symbol(elf, size, &i, &symbol);)
        if (symbol.kernel &&
            symbol.address + (uint64_t)s->object.delta == s->launch->packet.kernel_object)
            s->kernarg_size = code_elf_kernarg_size(elf, size, &symbol);
    if (at && s->kernarg_size == 0)
        s->kernarg_size = guess_kernarg_size(s, at);
    if (!at)
        s->kernarg_size = 0;
    if (s->kernarg_size == 0)
        return true;
    s->kernarg = map_memory(s->kernarg_size);
    if (!s->kernarg)
        return fail_capture(s, "there is no memory left");
    const struct track_source *from = track_source(&s->list, at);
    char why[CAPTURE_FAILURE_MAX] = "the CPU cannot read them";
    if (from ? stage_read(&s->stage, s->kernarg, at, s->kernarg_size, why, sizeof why) != 0
             : !tool_peek(s->kernarg, at, s->kernarg_size)) {
        snprintf(s->why, sizeof s->why, "the kernel's arguments: %s", why);
        return false;
    }
    return true;
}

static bool find_variables(struct capture_state *s)
{
    const void *elf = code_data(s->object.code);
    const size_t size = code_size(s->object.code);
    struct captured_symbol symbol;
    size_t n = 0;
    for (size_t at = 0; code_next_symbol(elf, size, &at, &symbol);)
        n += !symbol.kernel;
    if (n == 0)
        return true;
    s->variables = map_memory(n * sizeof *s->variables);
    if (!s->variables)
        return fail_capture(s, "there is no memory left");
    s->nvariables = n;
    n = 0;
    for (size_t at = 0; code_next_symbol(elf, size, &at, &symbol);)
        if (!symbol.kernel)
            s->variables[n++] =
                (struct writer_variable){.name = symbol.name,
                                         .address = symbol.address + (uint64_t)s->object.delta,
                                         .size = symbol.size};
    return true;
}

/* --- the folder --- */

static bool make_folders(char *path)
{
    for (char *p = path + 1;; p++)
        if (*p == '/' || !*p) {
            const char kept = *p;
            *p = '\0';
            const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
            *p = kept;
            if (!made || !kept)
                return made;
        }
}

/* Makes the first of NAME.INDEX, NAME.INDEX.PID, NAME.INDEX.PID-2, … that does not exist. */
static bool make_capture_folder(struct capture_state *s)
{
    char name[64];
    const struct launch *l = s->launch;
    kernel_file_name(l->kernel->name->demangled, name);
    if (make_folders(s->launch->now.folder))
        for (int i = 0; i < TRIES; i++) {
            int n = snprintf(s->path, sizeof s->path, "%.3900s/%s.%llu", s->launch->now.folder,
                             name, (unsigned long long)l->index);
            if (i > 0)
                n += snprintf(s->path + n, sizeof s->path - (size_t)n, ".%d", (int)getpid());
            if (i > 1)
                snprintf(s->path + n, sizeof s->path - (size_t)n, "-%d", i);
            if (mkdir(s->path, 0700) == 0) {
                if (s->row) /* published at once: the program may end at any time */
                    snprintf(s->row->path, sizeof s->row->path, "%s", s->path);
                return true;
            }
            if (errno != EEXIST)
                break;
        }
    s->code = errno;
    s->path[0] = '\0';
    snprintf(s->why, sizeof s->why, "%.180s: %s", s->launch->now.folder, strerror(errno));
    return false;
}

static bool write_memory_before(struct capture_state *s)
{
    if (!make_capture_folder(s))
        return false;
    s->writer = writer_open(s->path, 0, s->why, sizeof s->why);
    if (!s->writer)
        return false;
    for (int i = 0; writer_buffer(s->writer, i); i++)
        stage_lend(&s->stage, writer_buffer(s->writer, i), CAPTURE_BLOCK);
    s->code = writer_code(s->writer, s->kernarg, s->kernarg_size, code_data(s->object.code),
                          code_size(s->object.code));
    if (s->code == 0)
        s->code = writer_before(s->writer, s->list.regions, s->list.n, stage_read, &s->stage,
                                &tool.control->done);
    if (s->code == 0)
        s->code = writer_variables(s->writer, s->variables, s->nvariables, stage_read, &s->stage);
    return s->code == 0 || fail_capture(s, writer_why(s->writer));
}

/* Captures everything that is available before the kernel runs. */
static bool capture_before(struct capture_state *s)
{
    const struct launch *l = s->launch;
    const uint64_t deadline = s->began_ns + l->now.timeout_ms * 1000000ull;
    s->drained = gate_drain_others(l->queue, deadline);
    if (!gate_wait(l->idle, l->queue, deadline)) {
        char trouble[CONTROL_WHY / 2];
        if (!gate_trouble(l->queue, trouble, sizeof trouble))
            return fail_capture(s, "earlier work of its queue did not end in time");
        snprintf(s->why, sizeof s->why, "its queue failed before it: %s", trouble);
        return false;
    }
    if (tool.lost)
        return fail_capture(s, "what memory there is was lost track of before");
    s->has_object = objects_at(l->packet.kernel_object, &s->object);
    if (!s->has_object)
        return fail_capture(s, "its code object was not seen when it was loaded");
    if (!track_list(&s->list, (uint64_t)(uintptr_t)l->packet.kernarg_address))
        return fail_capture(s, "there is no memory left");
    stage_open(&s->stage, &s->list, l->queue->agent.handle);
    atomic_store(&tool.control->done, 0);
    atomic_store(&tool.control->total, s->list.bytes * (l->now.post ? 2 : 1));
    return copy_launch_kernarg(s) && find_variables(s) && write_memory_before(s);
}

/* Says why memory after the kernel is unknown, and what happened to the kernel. */
static bool tell_not_after(struct capture_state *s, const char *late)
{
    char trouble[CONTROL_WHY / 2];
    const bool failed = gate_trouble(s->launch->queue, trouble, sizeof trouble);
    snprintf(s->why, sizeof s->why, "%s%s: memory after it is not known",
             failed ? "the kernel failed: " : "", failed ? trouble : late);
    return true;
}

static bool tell_missing_after(struct capture_state *s)
{
    s->after = false;
    snprintf(s->why, sizeof s->why, "memory after the kernel is missing: %.200s",
             writer_why(s->writer));
    return false;
}

/* Writes memory after the kernel, or why it is unknown. False: files could not be written. */
static bool write_after(struct capture_state *s, uint64_t deadline_ns)
{
    struct launch *l = s->launch;
    if (!catch_wait(l, deadline_ns))
        return tell_not_after(s, "the kernel did not complete in time");
    if (!l->now.post)
        return true;
    if (!gate_wait(l->flushed, l->queue, deadline_ns))
        return tell_not_after(s, "the queue did not get idle in time");
    s->code = writer_after(s->writer, s->list.regions, s->list.n, stage_read, &s->stage,
                           &tool.control->done);
    s->after = s->code == 0;
    return s->code == 0 || tell_missing_after(s);
}

/* Fills the result row: when the capture is complete, and again at its end. */
static void fill_result_row(struct capture_state *s)
{
    struct control_result *r = s->row;
    uint32_t unread = 0;
    for (size_t i = 0; i < s->list.n; i++)
        unread += !s->list.regions[i].before.written && s->list.regions[i].size > 0;
    r->code = s->code;
    r->drained = s->drained;
    r->bytes = s->list.bytes;
    r->regions = (uint32_t)s->list.n;
    r->unread = unread;
    r->stored = s->writer ? writer_stored(s->writer) : 0;
    r->pause_ns = s->d.pause_ns;
    r->gpu_ns = s->d.gpu_ns;
    r->after = s->after;
}

/* Without rooftop: prints the path to stderr now, because the program may end soon. */
static void tell_whole(struct capture_state *s)
{
    char line[CONTROL_PATH + CONTROL_WHY];
    snprintf(line, sizeof line, "captured: %s", s->path);
    if (tool.by_hand)
        tool_say(line);
    if (!s->row)
        return;
    fill_result_row(s);
    atomic_store(&s->row->whole, 1);
}

static bool finish_capture(struct capture_state *s)
{
    s->d.gpu_ns = s->launch->gpu_ns;
    s->d.pause_ns = tool_now_ns() - s->began_ns;
    s->code =
        writer_finish(s->writer, &s->d, s->list.regions, s->list.n, s->variables, s->nvariables);
    return s->code == 0 || fail_capture(s, writer_why(s->writer));
}

/* Runs the kernel and captures memory after it. The capture is complete before the kernel runs: a
 * kernel that ends the program with a fault is the most interesting one. False: the folder is not a
 * capture. A later failure is described in `why`. */
static bool capture_after(struct capture_state *s)
{
    struct launch *l = s->launch;
    if (!finish_capture(s))
        return false;
    tell_whole(s);
    hsa.signal_store(l->idle, 1); /* now used by the second hold */
    hsa.signal_store(l->hold, 0);
    if (write_after(s, tool_now_ns() + l->now.timeout_ms * 1000000ull) && !finish_capture(s))
        tell_missing_after(s);
    return true;
}

/* Releases the holds in every case, so that the GPU continues. */
static void release_holds(struct launch *l, bool before)
{
    if (!before)
        hsa.signal_store(l->hold, 0);
    if (!l->now.post)
        return;
    hsa.signal_store(l->hold_after, 0);
    /* Signals may be destroyed once they were seen to complete; otherwise they are left alone. */
    if (!before || !l->completed || !gate_wait(l->idle, l->queue, tool_now_ns() + 1000000000ull))
        l->hold_after = l->flushed = l->idle = (hsa_signal_t){0};
}

/* --- a capture --- */

static void begin_row(struct capture_state *s)
{
    const struct launch *l = s->launch;
    s->row = control_result_row(tool.control);
    if (!s->row)
        return;
    s->row->pid = (int32_t)getpid();
    s->row->request = s->launch->now.number;
    s->row->index = l->index;
    memcpy(s->row->grid,
           (uint32_t[]){l->packet.grid_size_x, l->packet.grid_size_y, l->packet.grid_size_z},
           sizeof s->row->grid);
    memcpy(s->row->block,
           (uint32_t[]){l->packet.workgroup_size_x, l->packet.workgroup_size_y,
                        l->packet.workgroup_size_z},
           sizeof s->row->block);
    snprintf(s->row->name, sizeof s->row->name, "%s", l->kernel->name->demangled);
}

static void end_row(struct capture_state *s, bool done)
{
    char line[CONTROL_PATH + 2 * CONTROL_WHY];
    if (done)
        snprintf(line, sizeof line, "%s: %s", s->path, s->why);
    else
        snprintf(line, sizeof line, "not captured: %.100s: %s", s->launch->kernel->name->demangled,
                 s->why);
    if (!done || (tool.by_hand && *s->why))
        tool_say(line);
    atomic_fetch_add(done ? &tool.control->captured : &tool.control->failed, 1);
    struct control_result *r = s->row;
    if (!r)
        return;
    fill_result_row(s);
    r->failed = !done;
    if (!done) /* writer_close removes it */
        r->path[0] = '\0';
    snprintf(r->why, sizeof r->why, "%s", s->why);
    atomic_store(&r->state, CONTROL_READY);
}

static void clean_up(struct capture_state *s, bool done)
{
    if (s->stage.list && !stage_close(&s->stage) && s->writer)
        writer_leave_buffers(s->writer);
    if (s->writer)
        writer_close(s->writer);
    if (!done && *s->path) /* we made this folder */
        rmdir(s->path);
    if (s->has_object)
        code_drop(s->object.code);
    map_memory_free(s->variables, s->nvariables * sizeof *s->variables);
    map_memory_free(s->kernarg, s->kernarg_size);
    track_list_free(&s->list);
}

static void capture_launch(struct capture_state *s)
{
    struct launch *l = s->launch;
    s->began_ns = tool_now_ns();
    begin_row(s);
    bool before = false, done = false;
    if (!gate_close(l->queue, l->idle, s->began_ns + l->now.timeout_ms * 1000000ull)) {
        fail_capture(s, "other threads of the program did not leave the runtime in time");
        release_holds(l, false);
    } else {
        before = capture_before(s);
        if (before) {
            snapshot_describe(s);
            done = capture_after(s);
        }
        release_holds(l, before);
        gate_open(l->queue);
    }
    atomic_store(&l->queue->dirty, true);
    end_row(s, done);
    clean_up(s, done);
}

void catch_captured(struct launch *l)
{
    struct capture_state *s = map_memory(sizeof *s);
    if (s) {
        s->launch = l;
        capture_launch(s);
        map_memory_free(s, sizeof *s);
    } else {
        tool_say("not captured: there is no memory left");
        atomic_fetch_add(&tool.control->failed, 1);
        release_holds(l, false);
    }
    catch_end(l);
}
