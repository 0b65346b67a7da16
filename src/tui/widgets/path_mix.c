#include "tui/widgets/path_mix.h"

#include "base/text.h"

/* The parts differ in shade and colour, because neither alone distinguishes all of them. */
static const uint32_t shade[PATH_PARTS] = {0x2588, 0x2593, 0x259a, 0x2592, 0x2591, 0x2504, 0x00b7};
static const char ascii_shade[PATH_PARTS] = {'#', '=', 'x', '+', '-', '~', '.'};

struct style path_mix_style(int part)
{
    const struct style styles[PATH_PARTS] = {
        STYLE(STYLE_COMPUTE), STYLE(STYLE_COPY), STYLE(STYLE_COMMUNICATION),
        STYLE(STYLE_HOST),    STYLE(STYLE_HOST), STYLE(STYLE_DIM),
        STYLE(STYLE_DIM)};
    return styles[part];
}

uint32_t path_mix_glyph(const struct canvas *c, int part)
{
    return c->ascii ? (uint32_t)ascii_shade[part] : shade[part];
}

void path_mix_text(const struct path_mix *m, int w, bool ascii, char *out, size_t size)
{
    const struct canvas as = {.ascii = ascii};
    uint64_t sum = 0;
    size_t n = 0;
    for (int i = 0, done = 0; i < PATH_PARTS; i++) {
        sum += m->share[i];
        for (int to = (int)(sum * (uint64_t)w / PATH_WHOLE); done < to && n + 4 < size; done++)
            n += text_encode(path_mix_glyph(&as, i), out + n);
    }
    out[n] = '\0';
}
