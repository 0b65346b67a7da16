#include "cli/run/run_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/version.h"
#include "cli/run/output.h"
#include "engine/session/session.h"
#include "engine/value/document.h"
#include "export/live/export_json.h"
#include "export/live/syscalls_snapshot_export.h"

static int write_screen_picture(struct screen *s, const char *stem, struct error *err)
{
    char path[4096], *text = NULL;
    size_t len = 0;
    snprintf(path, sizeof path, "%s.txt", stem);
    int rc = screen_text(&s->canvas, &text, &len);
    if (rc == 0)
        rc = output_file(path, text, len, err);
    else
        error_set(err, ERROR_INTERNAL, -rc, NULL, "draw the picture", "%s", strerror(-rc));
    free(text);
    return rc;
}

static int write_view_svg(struct screen *s, const char *stem, struct error *err)
{
    char path[4096], *text = NULL;
    size_t len = 0;
    snprintf(path, sizeof path, "%s.svg", stem);
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return error_set(err, ERROR_INTERNAL, errno, NULL, "draw the picture", "%s",
                         strerror(errno));
    int rc = dashboard_svg(f, s, err);
    fclose(f);
    if (rc == 0)
        rc = output_file(path, text, len, err);
    free(text);
    return rc;
}

static int write_screen_numbers(struct screen *s, const char *stem, struct error *err)
{
    char path[4096];
    const struct snapshot *shown = app_shown(s->app);
    if (!shown)
        return 0;
    snprintf(path, sizeof path, "%s.json", stem);
    cJSON *o = export_json(shown, ROOFTOP_VERSION);
    if (screen_syscalls(s))
        cJSON_AddItemToObject(o, "syscalls", syscalls_snapshot_json(screen_syscalls(s)));
    char *text = json_document(o, true);
    cJSON_Delete(o);
    int rc = output_file(path, text, strlen(text), err);
    free(text);
    return rc;
}

static int write_past(struct screen *s, const char *stem, struct error *err)
{
    char path[4096];
    if (recording_count(app_past(s->app)) == 0)
        return 0;
    snprintf(path, sizeof path, "%s.rooftop", stem);
    return session_save(
        app_past(s->app),
        &(struct session_config){.path = path, .generator = "rooftop " ROOFTOP_VERSION}, err);
}

/* The files that the key `w` writes, by their endings. */
static const struct {
    const char *ending;
    int (*write)(struct screen *s, const char *stem, struct error *err);
} writers[] = {{".txt", write_screen_picture},
               {".svg", write_view_svg},
               {".json", write_screen_numbers},
               {".rooftop", write_past}};
enum { WRITERS = sizeof writers / sizeof *writers };

/* Writes all of them beside each other, or only one if the user typed its ending. */
void dashboard_write(struct screen *s)
{
    struct error err = ERROR_INIT;
    char stem[4000], text[4200];
    int only = -1, rc = 0;
    snprintf(stem, sizeof stem, "%s", app_path(s->app));
    char *dot = strrchr(stem, '.');
    for (int i = 0; dot && dot > stem && i < WRITERS; i++)
        if (strcmp(dot, writers[i].ending) == 0)
            only = i;
    if (only >= 0)
        *dot = '\0';
    app_draw(s->app, &s->canvas); /* without the prompt that asked for the name */
    for (int i = 0; i < WRITERS && rc == 0; i++)
        if (only < 0 || only == i)
            rc = writers[i].write(s, stem, &err);
    if (rc != 0) {
        app_message(s->app, true, error_format(&err, text, sizeof text));
        return;
    }
    snprintf(text, sizeof text, "wrote %s%s", stem,
             only >= 0 ? writers[only].ending : ".txt, .svg, .json and .rooftop");
    app_message(s->app, false, text);
}
