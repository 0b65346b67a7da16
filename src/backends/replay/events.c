#include "backends/replay/events.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/env.h"
#include "base/print.h"
#include "engine/value/document.h"

#define OFTEN_NS 50000000u

static void flush_now(struct replay_events *e)
{
    fflush(e->out);
    e->flushed_ns = env_now_ns();
}

static void write_progress(struct replay_events *e)
{
    print_json(e->out,
               "{\"event\":\"stage\",\"name\":\"%s\",\"done\":%" PRIu64 ",\"total\":%" PRIu64 "}\n",
               e->stage, e->done, e->total);
    flush_now(e);
    e->progress_ns = e->flushed_ns;
}

void replay_event_stage(struct replay_events *e, enum replay_stage stage)
{
    e->stage = replay_stage_name(stage);
    e->done = e->total = 0;
    if (!e->out)
        return;
    print_json(e->out, "{\"event\":\"stage\",\"name\":\"%s\"}\n", e->stage);
    flush_now(e);
}

void replay_event_progress(struct replay_events *e, uint64_t done, uint64_t total)
{
    e->done = done;
    e->total = total;
    if (e->out && total && (done >= total || env_now_ns() - e->progress_ns > OFTEN_NS))
        write_progress(e);
}

void replay_event_iteration(struct replay_events *e, long index, int variant, double us)
{
    if (!e->out)
        return;
    fputs("{\"event\":\"iteration\",", e->out);
    if (variant >= 0)
        fprintf(e->out, "\"variant\":%d,", variant);
    fprintf(e->out, "\"index\":%ld,\"microseconds\":%.3f}\n", index, us);
    if (env_now_ns() - e->flushed_ns > OFTEN_NS)
        flush_now(e);
}

void replay_event_object(struct replay_events *e, cJSON *object)
{
    if (e->out) {
        json_write(e->out, object, false);
        fputc('\n', e->out);
        flush_now(e);
    }
    cJSON_Delete(object);
}

void replay_event_result(struct replay_events *e, cJSON *result)
{
    cJSON *event = cJSON_CreateObject();
    cJSON_AddStringToObject(event, "event", "result");
    cJSON_AddItemToObject(event, "result", result);
    replay_event_object(e, event);
}

void replay_event_error(struct replay_events *e, const struct replay_failure *f,
                        const struct replay_notes *notes, const char *variant)
{
    char message[sizeof f->err];
    cJSON *event = cJSON_CreateObject();
    cJSON_AddStringToObject(event, "event", "error");
    cJSON_AddStringToObject(event, "kind", replay_kind_name(f->kind));
    json_add_text(event, "message", error_format(&f->err, message, sizeof message));
    if (e->stage)
        cJSON_AddStringToObject(event, "stage", e->stage);
    if (variant)
        json_add_text(event, "variant", variant);
    if (f->has_address)
        json_add_u64(event, "address", f->address);
    if (f->region)
        json_add_u64(event, "region", f->region);
    cJSON *list = notes && notes->n ? cJSON_AddArrayToObject(event, "notes") : NULL;
    for (size_t i = 0; list && i < notes->n; i++)
        cJSON_AddItemToArray(list, cJSON_CreateString(notes->text[i]));
    if (f->again)
        cJSON_AddTrueToObject(event, "again");
    replay_event_object(e, event);
}
