#include <stdio.h>

#include "tui/canvas/canvas_impl.h"

static int32_t rgb_channel(int32_t rgb, int shift)
{
    return rgb >> shift & 0xff;
}

/* start + i*(end-start)/steps for each channel, in integers like btop. */
static int32_t mix_colors(int32_t start, int32_t end, int i, int steps)
{
    int32_t out = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int32_t a = rgb_channel(start, shift), b = rgb_channel(end, shift);
        out |= (a + i * (b - a) / steps) << shift;
    }
    return out;
}

static void fill_gradient(const struct theme *t, const char *stem, int32_t out[101])
{
    char key[40];
    snprintf(key, sizeof key, "%s_start", stem);
    int32_t start = theme_color(t, key);
    snprintf(key, sizeof key, "%s_mid", stem);
    int32_t mid = theme_color(t, key);
    snprintf(key, sizeof key, "%s_end", stem);
    int32_t end = theme_color(t, key);
    if (start == THEME_EMPTY)
        start = theme_color(t, "main_fg");
    for (int i = 0; i <= 100; i++) {
        if (end == THEME_EMPTY || start == THEME_EMPTY)
            out[i] = start;
        else if (mid == THEME_EMPTY)
            out[i] = mix_colors(start, end, i, 100);
        else
            out[i] = i <= 50 ? mix_colors(start, mid, i, 50) : mix_colors(mid, end, i - 50, 50);
    }
}

void theme_resolve(struct theme *t)
{
    for (int r = 0; r < STYLE_COUNT; r++) {
        const struct style_info *info = &style_table[r];
        t->bg[r] = theme_color(t, info->background ? info->background : "main_bg");
        if (info->gradient)
            fill_gradient(t, info->key, t->gradient[r]);
        else
            t->fg[r] = theme_color(t, info->key);
    }
}

/* btop's rule: a grey if the three channels round to the same level, else the 6x6x6 cube. */
int theme_to_256(int32_t rgb)
{
    int r = rgb_channel(rgb, 16), g = rgb_channel(rgb, 8), b = rgb_channel(rgb, 0);
    int grey = (r * 2 + 11) / 22;
    if (grey == (g * 2 + 11) / 22 && grey == (b * 2 + 11) / 22)
        return 232 + grey;
    return 16 + 36 * ((r * 2 + 51) / 102) + 6 * ((g * 2 + 51) / 102) + (b * 2 + 51) / 102;
}

static int32_t reduce_color(int32_t rgb, enum color_depth depth)
{
    if (rgb < 0)
        return COLOR_DEFAULT;
    return depth == DEPTH_TRUE ? rgb : theme_to_256(rgb);
}

/*
 * Colours of gradients at 8 and 16 colours: temperature is blue, magenta, red; the others are
 * green, yellow, red.
 */
static int gradient_palette(int role, int level)
{
    static const int8_t load[3] = {2, 3, 1}, temp[3] = {4, 5, 1}, cold[3] = {4, 6, 6},
                        pink[3] = {5, 5, 5};
    const int8_t *p = load;
    if (role == STYLE_GRAD_TEMP)
        p = temp;
    else if (role == STYLE_GRAD_DOWN || role == STYLE_GRAD_CACHED)
        p = cold;
    else if (role == STYLE_GRAD_UP)
        p = pink;
    return p[(level > 33) + (level > 66)];
}

/*
 * Styles with a background take both colours from the palette, not from the theme, so that they
 * keep their contrast.
 */
static struct look palette_look(const struct style_info *info, int role, int level,
                                enum color_depth depth)
{
    struct look l = {.fg = info->gradient ? gradient_palette(role, level) : info->ansi,
                     .bg = COLOR_DEFAULT};
    if (info->mono_reverse) {
        l.fg = COLOR_DEFAULT;
        l.reverse = true;
    }
    /* 8 colours have no bright black; plain text stays readable */
    if (depth == DEPTH_8 && l.fg >= 8) {
        l.bold = l.fg > 8;
        l.fg = l.fg == 8 ? COLOR_DEFAULT : l.fg - 8;
    }
    return l;
}

/* Puts the colour of a bar on the background of the selected row. At 8 and 16 colours that row is
 * reversed, so the colour behind the text is the one that is seen in it. */
static void put_on_selection(const struct theme *t, enum color_depth depth, struct look *l)
{
    if (depth == DEPTH_TRUE || depth == DEPTH_256) {
        l->bg = reduce_color(t->bg[STYLE_SELECTED], depth);
        return;
    }
    l->bg = l->fg;
    l->fg = COLOR_DEFAULT;
    l->reverse = true;
}

struct look theme_look(const struct theme *t, struct style st, enum color_depth depth)
{
    int role = st.role < STYLE_COUNT ? st.role : STYLE_TEXT;
    int level = st.level > 100 ? 100 : st.level;
    const struct style_info *info = &style_table[role];
    struct look l = {.fg = COLOR_DEFAULT, .bg = COLOR_DEFAULT};
    if (depth == DEPTH_NONE) {
        l.bold = info->mono_bold;
        l.reverse = info->mono_reverse;
    } else if (depth == DEPTH_8 || depth == DEPTH_16) {
        l = palette_look(info, role, level, depth);
    } else {
        l.fg = reduce_color(info->gradient ? t->gradient[role][level] : t->fg[role], depth);
        l.bg = reduce_color(t->bg[role], depth);
    }
    if (st.selected)
        put_on_selection(t, depth, &l);
    l.bold = l.bold || info->bold || st.bold;
    l.underline = info->underline || st.underline;
    l.reverse = (l.reverse || info->reverse) != st.reverse;
    return l;
}
