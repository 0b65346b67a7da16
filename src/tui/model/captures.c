#include "tui/model/captures.h"

#include <stdio.h>
#include <string.h>

#include "tui/model/permit.h"

/*
 * A character that would end the command (';' or a quote) becomes '.', which matches any character.
 */
bool captures_expression(const char *name, char *out, size_t size)
{
    size_t n = 0, i = 0, len = strlen(name);
    if (len > 3 && strcmp(name + len - 3, ".kd") == 0)
        len -= 3;
    out[n++] = '^';
    for (; i < len && n + 4 <= size; i++) {
        if (strchr(";\"'", name[i])) {
            out[n++] = '.';
            continue;
        }
        if (strchr(".[]{}()\\*+?^$|", name[i]))
            out[n++] = '\\';
        out[n++] = name[i];
    }
    if (i == len)
        out[n++] = '$';
    out[n] = '\0';
    return i == len;
}

const char *captures_refused(const struct model *m)
{
    const char *why = permit_refused(m, ACTION_CAPTURE);
    if (!why && m->profile)
        return "this is a profile: rooftop gpu capture runs its command again";
    return why ? why : m->capture_why_not;
}

void captures_menu(const struct model *m, struct menu *out, char letter, enum node_kind kind,
                   const char *name)
{
    char pattern[CAPTURE_PATTERN_MAX], line[MENU_COMMAND_MAX + 64];
    const bool whole = captures_expression(name, pattern, sizeof pattern);
    const char *no_kernel = kind == NODE_KERNEL ? NULL : "only kernels can be captured";
    if (m->profile && m->command) {
        const int n = snprintf(line, sizeof line, "rooftop gpu capture --kernel '%s' --post -- %s",
                               pattern, m->command);
        menu_copy(out, letter, line, "copy the command that captures it");
        menu_deny(out, no_kernel);
        menu_deny(out, n < MENU_COMMAND_MAX ? NULL : "its command is too long");
        return;
    }
    snprintf(line, sizeof line, "capture %s", pattern);
    menu_command(out, letter, line, "capture the next one%s", whole ? "" : " whose name begins so");
    menu_deny(out, no_kernel);
    menu_deny(out, m->profile ? "the command is not known" : captures_refused(m));
}
