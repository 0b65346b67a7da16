#include "support/stage_picture.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/golden.h"

void stage_picture(struct stage *s, const char *name)
{
    static const int sizes[][2] = {{80, 24}, {120, 40}, {200, 50}};
    char path[256], *text = NULL;
    size_t n = 0;
    struct canvas ascii;
    FILE *f = open_memstream(&text, &n);
    canvas_init(&ascii);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        canvas_resize(&s->c, sizes[i][0], sizes[i][1]);
        stage_look(s);
        s->a->host.ascii = true;
        canvas_resize(&ascii, sizes[i][0], sizes[i][1]);
        ascii.ascii = true;
        app_draw(s->a, &ascii);
        s->a->host.ascii = false;
        golden_add_screen(f, &s->c, &ascii);
    }
    fclose(f);
    canvas_free(&ascii);
    snprintf(path, sizeof path, "tests/data/golden/%s.screen", name);
    golden_is(path, text);
    free(text);
}
