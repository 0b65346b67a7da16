/* The current configuration, and the schema of its file, made from the tables. */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "cli/options/config.h"
#include "cli/options/generate.h"
#include "engine/value/document.h"
#include "tui/app/app.h"
#include "tui/input/keys.h"
#include "tui/input/presets.h"

static void toml_string(FILE *out, const char *text)
{
    fputc('"', out);
    print_put(out, PRINT_TOML, text);
    fputc('"', out);
}

/* Prints a comment, folded at words. */
static void print_config_comment(FILE *out, const char *text)
{
    enum { WIDTH = 96 };
    int x = fprintf(out, "#");
    for (const char *p = text; *p;) {
        int n = (int)strcspn(p, " ");
        if (x > 1 && x + 1 + n > WIDTH)
            x = fprintf(out, "\n#") - 1;
        fputc(' ', out);
        print_put_n(out, PRINT_TEXT, p, (size_t)n);
        x += 1 + n;
        p += n;
        while (*p == ' ')
            p++;
    }
    fputc('\n', out);
}

/* --- values --- */

static void write_value(FILE *out, const struct option_def *d, const void *at)
{
    char number[32];
    switch (d->type) {
    case OPTION_FLAG:
        fputs(*(const bool *)at ? "true" : "false", out);
        break;
    case OPTION_INT:
        print_text(out, "%ld", *(const long *)at);
        break;
    case OPTION_SECONDS:
        fputs(number_text(*(const double *)at, number), out);
        break;
    case OPTION_SIZE:
        print_text(out, "\"%dx%d\"", ((const int *)at)[0], ((const int *)at)[1]);
        break;
    case OPTION_STRING:
    case OPTION_LIST:
    case OPTION_CHOICE:
        toml_string(out, *(const char *const *)at ? *(const char *const *)at : "");
        break;
    }
}

static bool is_option_set(const struct option_def *d, const void *at)
{
    if (d->type == OPTION_STRING || d->type == OPTION_LIST || d->type == OPTION_CHOICE)
        return *(const char *const *)at != NULL;
    return d->type != OPTION_SIZE || *(const int *)at != 0;
}

static void range_text(const struct option_def *d, char *out, size_t size)
{
    char choices[256];
    *out = '\0';
    if (*generate_choices(d, ", ", choices, sizeof choices))
        snprintf(out, size, "; one of %s", choices);
    else if (d->type == OPTION_FLAG)
        snprintf(out, size, "; true or false");
    else if (d->max > d->min)
        snprintf(out, size, "; %s%g to %g", d->type == OPTION_SECONDS ? "seconds, " : "", d->min,
                 d->max);
}

static void write_option(FILE *out, const struct options *o, const struct option_def *d)
{
    static const char *const origin[] = {"default", "this file", "environment", "command line"};
    const void *at = option_value(o, d);
    const enum option_layer layer = options_layer(o, d->name);
    char text[1024], range[320];
    range_text(d, range, sizeof range);
    snprintf(text, sizeof text, "%s%s%s%s", d->help, range, d->fallback ? "; by default " : "",
             d->fallback ? d->fallback : "");
    print_config_comment(out, text);
    if (layer > LAYER_CONFIG)
        print_text(out, "# (from the %s)\n", origin[layer]);
    print_text(out, "%s%s = ", layer == LAYER_DEFAULT ? "# " : "", d->name);
    if (is_option_set(d, at))
        write_value(out, d, at);
    else
        fputs(d->type == OPTION_SIZE ? "\"120x40\"" : "\"\"", out);
    fputs("\n\n", out);
}

static void write_keys(FILE *out)
{
    fputs("[keys]\n", out);
    print_config_comment(
        out, "Names separated by spaces, as in: q ^L Alt-x F5 Space Enter Tab Up PgDn Ctrl-Left. "
             "Empty: no key. ^C always leaves.");
    for (int i = 1; i < ACTION_COUNT; i++) {
        const struct action_info *a = &action_table[i];
        const char *keys = keymap_keys((enum action)i);
        bool same = strcmp(keys, a->keys) == 0;
        if (a->contexts == CONTEXT_MOUSE)
            continue;
        print_text(out, "%s%s = ", same ? "# " : "", a->name);
        toml_string(out, keys);
        print_text(out, " # %s\n", a->help);
    }
}

static void write_presets(FILE *out, const struct options *o)
{
    fputs("\n[presets]\n", out);
    print_config_comment(
        out, "Which boxes of which views are shown, by name: NAME = \"VIEW: BOX BOX; VIEW\". "
             "They come before rooftop's own.");
    for (const struct preset *p = preset_table; p->name; p++) {
        print_text(out, "# %s = ", p->name);
        toml_string(out, p->boxes);
        fputc('\n', out);
    }
    for (size_t i = 0; i < o->npresets; i++) {
        toml_string(out, o->presets[i].name);
        fputs(" = ", out);
        toml_string(out, o->presets[i].boxes);
        fputc('\n', out);
    }
}

void generate_config(FILE *out, const struct options *o)
{
    char path[4096], text[4400];
    const char *file = o->config ? o->config : config_usual_path(path, sizeof path);
    snprintf(
        text, sizeof text,
        "rooftop's configuration as it is now. What is commented out is the default. rooftop "
        "reads %s, and writes it only for ^S and :save. Environment (ROOFTOP_NAME) and command "
        "line go before the file.",
        *file ? file : "config.toml");
    print_config_comment(out, text);
    fputc('\n', out);
    for (const struct option_def *d = shared_options; d->name; d++)
        if (d->config)
            write_option(out, o, d);
    write_keys(out);
    write_presets(out, o);
}

/* --- the schema --- */

static const char *option_json_type(const struct option_def *d)
{
    if (d->type == OPTION_FLAG)
        return "boolean";
    return d->type == OPTION_INT ? "integer" : "string";
}

static cJSON *option_schema(const struct option_def *d)
{
    char buf[32];
    const char *name;
    cJSON *j = cJSON_CreateObject();
    cJSON_AddStringToObject(j, "description", d->help);
    if (d->type == OPTION_SECONDS) { /* both 0.5 and "500ms" are valid */
        const char *const types[] = {"number", "string"};
        cJSON_AddItemToObject(j, "type", cJSON_CreateStringArray(types, 2));
    } else {
        cJSON_AddStringToObject(j, "type", option_json_type(d));
    }
    if ((d->type == OPTION_INT || d->type == OPTION_SECONDS) && d->max > d->min) {
        cJSON_AddNumberToObject(j, "minimum", d->min);
        cJSON_AddNumberToObject(j, "maximum", d->max);
    }
    if (d->type == OPTION_SIZE)
        cJSON_AddStringToObject(j, "pattern", "^[0-9]+x[0-9]+$");
    if (d->type == OPTION_CHOICE) {
        cJSON *list = cJSON_AddArrayToObject(j, "enum");
        for (size_t i = 0; (name = option_choice(d, i, buf, sizeof buf)); i++)
            cJSON_AddItemToArray(list, cJSON_CreateString(name));
    }
    if (d->fallback && (d->type == OPTION_INT || d->type == OPTION_SECONDS))
        cJSON_AddNumberToObject(j, "default", strtod(d->fallback, NULL));
    else if (d->fallback)
        cJSON_AddStringToObject(j, "default", d->fallback);
    return j;
}

static cJSON *keys_schema(void)
{
    cJSON *j = cJSON_CreateObject(), *all;
    cJSON_AddStringToObject(j, "type", "object");
    cJSON_AddStringToObject(j, "description", "actions and their keys, separated by spaces");
    cJSON_AddBoolToObject(j, "additionalProperties", false);
    all = cJSON_AddObjectToObject(j, "properties");
    for (int i = 1; i < ACTION_COUNT; i++) {
        cJSON *k = cJSON_AddObjectToObject(all, action_table[i].name);
        cJSON_AddStringToObject(k, "type", "string");
        cJSON_AddStringToObject(k, "description", action_table[i].help);
        cJSON_AddStringToObject(k, "default", action_table[i].keys);
    }
    return j;
}

void generate_config_schema(FILE *out)
{
    cJSON *doc = cJSON_CreateObject(), *all;
    cJSON_AddStringToObject(doc, "$schema", "http://json-schema.org/draft-07/schema#");
    cJSON_AddStringToObject(doc, "title", "rooftop configuration (config.toml)");
    cJSON_AddStringToObject(doc, "type", "object");
    cJSON_AddBoolToObject(doc, "additionalProperties", false);
    all = cJSON_AddObjectToObject(doc, "properties");
    for (const struct option_def *d = shared_options; d->name; d++)
        if (d->config)
            cJSON_AddItemToObject(all, d->name, option_schema(d));
    cJSON_AddItemToObject(all, "keys", keys_schema());
    cJSON *presets = cJSON_AddObjectToObject(all, "presets"), *text;
    cJSON_AddStringToObject(presets, "type", "object");
    cJSON_AddStringToObject(presets, "description", "NAME = \"VIEW: BOX BOX; VIEW\"");
    text = cJSON_AddObjectToObject(presets, "additionalProperties");
    cJSON_AddStringToObject(text, "type", "string");
    document_end(out, doc);
}
