#include "tui/widgets/hue.h"

struct style hue_of_work(enum node_kind kind, bool collective)
{
    if (collective)
        return STYLE(STYLE_COMMUNICATION);
    switch (kind) {
    case NODE_KERNEL:
    case NODE_BRICK:
        return STYLE(STYLE_COMPUTE);
    case NODE_TRANSFER:
        return STYLE(STYLE_COPY);
    default:
        return STYLE(STYLE_HOST);
    }
}

int hue_legend(struct canvas *c, int x, int y, int w)
{
    static const struct {
        const char *name;
        enum style_role role;
    } parts[] = {{"computing", STYLE_COMPUTE},
                 {"communication", STYLE_COMMUNICATION},
                 {"copies", STYLE_COPY},
                 {"host", STYLE_HOST}};
    enum { N = sizeof parts / sizeof *parts, GAP = 2, WIDTH = 32 + N * 2 + (N - 1) * GAP };
    int at = x;
    if (w < WIDTH)
        return 0;
    for (int i = 0; i < N; i++) {
        canvas_put(c, at, y, c->ascii ? '#' : 0x25a0, STYLE(parts[i].role));
        at += 2 + canvas_text(c, at + 2, y, w, parts[i].name, STYLE(parts[i].role)) + GAP;
    }
    return at - GAP - x;
}

uint32_t hue_edge(uint32_t ch, bool ascii)
{
    if (ascii)
        return '|';
    switch (ch) {
    case 0x2588:
        return 0x2589; /* left seven eighths */
    case 0x2592:
    case 0x2593:
        return 0x2591;
    default:
        return ch;
    }
}
