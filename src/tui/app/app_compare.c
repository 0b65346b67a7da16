#include "tui/app/app_compare.h"

#include <errno.h>
#include <string.h>

#include "tui/app/app.h"
#include "tui/app/app_state.h"

void app_set_comparison(struct app *a, const struct shown_comparison *k)
{
    struct error ignored = ERROR_INIT;
    a->model.comparison = k;
    app_set_profile(a, k->profiles[0] ? k->profiles[0] : k->profiles[1]);
    app_set_view(a, "compare", &ignored);
}

unsigned app_show_side(struct app *a, const char *side, struct error *err)
{
    const struct shown_comparison *k = a->model.comparison;
    const int i = strcmp(side, "B") == 0;
    if ((i == 0 && strcmp(side, "A") != 0) || !k) {
        error_set(err, ERROR_USAGE, EINVAL, "side A, or side B; with rooftop compare A B", "side",
                  k ? "'%s' is no side" : "nothing is compared here", side);
        return 0;
    }
    if (!k->profiles[i] && !k->sessions[i]) {
        error_set(err, ERROR_USAGE, ENOENT, "compare profiles, or sessions (rooftop record)",
                  "side", "%s has numbers only", side);
        return 0;
    }
    app_set_profile(a, k->profiles[i]);
    if (k->sessions[i])
        app_lend(a, k->sessions[i]);
    return APP_REDRAW;
}
