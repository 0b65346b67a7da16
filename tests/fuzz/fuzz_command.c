/* Any text in the command line is run and completed: each failure says what failed and why. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/app.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char line[512];
    struct canvas c;
    struct error err = ERROR_INIT;
    size_t n = size < sizeof line - 1 ? size : sizeof line - 1;
    memcpy(line, data, n);
    line[n] = '\0';
    struct app *a = app_new(1, false, "rooftop-dark");
    canvas_init(&c);
    canvas_resize(&c, 80, 24);
    app_command(a, line, &err);
    if (err.kind != ERROR_NONE && (!err.what[0] || !err.why[0]))
        abort();
    app_draw(a, &c);
    app_key(a, &(struct key_event){.key = KEY_ESCAPE});
    app_key(a, &(struct key_event){.key = ':'});
    for (size_t i = 0; i < n; i++) {
        app_key(a, &(struct key_event){.key = (unsigned char)line[i]});
        if (i % 8 == 0)
            app_draw(a, &c);
    }
    app_draw(a, &c);
    app_free(a);
    canvas_free(&c);
    return 0;
}
