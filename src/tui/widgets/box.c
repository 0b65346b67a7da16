#include <ctype.h>
#include <stdio.h>

#include "tui/model/view.h"

/* Marks the letter in the title if it is there; else the letter is put before the title. */
static void mark_letter(const char *title, char letter, char out[160])
{
    const char *at = title;
    while (*at && tolower((unsigned char)*at) != letter)
        at++;
    if (*at)
        snprintf(out, 160, "%.*s_%.80s", (int)(at - title), title, at);
    else
        snprintf(out, 160, "_%c %.80s", letter, title);
}

void view_box_draw(struct canvas *c, struct rect r, enum style_role role,
                   const struct view_box *box, int i, const char *title, const char *right)
{
    char marked[160];
    mark_letter(title, box->letter, marked);
    canvas_box(c, r, STYLE(role), marked, right);
    int w = text_width(marked) - 1, room = r.w - 6;
    w = w < room ? w : room;
    if (w > 0 && r.h > 1)
        canvas_zone(c, (struct rect){r.x + 3, r.y, w, 1}, ACTION_EXPAND, i + 1);
}
