#include "tui/widgets/hue.h"

/*
 * Places in the theme's gradients that differ in every theme. At 16 colours they are green, blue,
 * magenta, yellow, cyan. Red is reserved for errors.
 */
static const struct {
    uint8_t role, level;
} hues[HUES] = {
    {STYLE_GRAD_FREE, 0}, {STYLE_GRAD_CACHED, 33}, {STYLE_GRAD_UP, 0},
    {STYLE_GRAD_CPU, 66}, {STYLE_GRAD_DOWN, 100},
};

struct style hue(int i)
{
    return STYLE_LEVEL(hues[i].role, hues[i].level);
}

/* FNV-1a, 64 bits, instead of base/hash.h, so that names keep their colours in all versions. */
struct style hue_of(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return hue((int)((h >> 32 ^ h) % HUES));
}

struct style hue_of_compute(void)
{
    return hue(0);
}

struct style hue_of_copies(void)
{
    return hue(1);
}

struct style hue_of_launches(void)
{
    return hue(3);
}

struct style hue_of_communication(void)
{
    return STYLE_LEVEL(STYLE_GRAD_UP, 100);
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
