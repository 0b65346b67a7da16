#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/print.h"
#include "cli/options/config.h"
#include "cli/run/run_impl.h"

enum { PATH_SIZE = 4096 };

/* "theme = "dusk"; [presets] mine = "overview: cpu"": what a person would write. The caller frees
 * it. */
static char *join_settings(const struct config_setting *list, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        abort();
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "; " : "", f);
        if (*list[i].table)
            print_text(f, "[%s] ", list[i].table);
        config_setting_write(f, &list[i]);
    }
    fclose(f);
    return text;
}

void dashboard_save(struct screen *s, const struct options *o)
{
    struct error err = ERROR_INIT;
    char usual[PATH_SIZE], boxes[256], why[512], text[PATH_SIZE + 1024];
    const char *path = o->config ? o->config : config_usual_path(usual, sizeof usual);
    struct config_setting list[ACTION_COUNT + 1] = {{"", "theme", app_theme(s->app)}};
    size_t n = 1;
    int rc = 0;
    if (*app_path(s->app))
        list[n++] = (struct config_setting){"presets", app_path(s->app),
                                            app_boxes_text(s->app, boxes, sizeof boxes)};
    for (int a = 1; a < ACTION_COUNT; a++)
        if (keymap_chosen((enum action)a))
            list[n++] =
                (struct config_setting){"keys", action_table[a].name, keymap_keys((enum action)a)};
    if (!*path)
        rc = error_set(&err, ERROR_OUTPUT, ENOENT, NULL, "configuration",
                       "there is no home directory");
    else
        rc = config_keep(path, list, n, &err);
    char *lines = join_settings(list, n);
    if (rc == 0)
        print_line(text, sizeof text, "kept in %s: %s%s", path, lines,
                   o->no_config ? " (--no-config: not read by this rooftop)" : "");
    else
        print_line(text, sizeof text, "%s; write it yourself: %s",
                   error_format(&err, why, sizeof why), lines);
    free(lines);
    app_message(s->app, rc != 0, text);
}
