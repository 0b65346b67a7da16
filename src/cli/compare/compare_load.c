#include "cli/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options/exit.h"
#include "cli/run/progress.h"
#include "engine/compare/run_gather.h"
#include "engine/compare/run_profile.h"
#include "engine/compare/run_samples.h"
#include "engine/session/session.h"
#include "export/live/run_json.h"

static void add_side_path(struct compare_files *side, const char *text, size_t n)
{
    char *path = xcalloc(n + 1, 1);
    memcpy(path, text, n);
    side->paths = xrealloc(side->paths, side->n + 2, sizeof *side->paths);
    side->paths[side->n++] = path;
    side->paths[side->n] = NULL;
}

static void split_names(struct compare_files *side, const char *word)
{
    if (access(word, F_OK) == 0 || !strchr(word, ',')) {
        add_side_path(side, word, strlen(word));
        return;
    }
    for (const char *p = word; *p; p += *p == ',') {
        size_t n = strcspn(p, ",");
        if (n)
            add_side_path(side, p, n);
        p += n;
    }
}

static int load_session(struct compare_files *side, const char *path, struct error *err)
{
    struct recording *r = NULL;
    int rc = session_open(&r, path, err);
    if (rc != 0)
        return rc;
    if (r->note)
        exit_note(r->note);
    rc = run_of_recording(runs_add(&side->runs), r, err);
    if (rc == 0 && !side->session)
        side->session = r;
    else
        recording_free(r);
    return rc;
}

static int load_profile(struct compare_files *side, const char *path, const struct options *o,
                        struct error *err)
{
    struct analysis *a = xcalloc(1, sizeof *a);
    int rc = progress_analysis_open(a, &path, 1, err);
    if (rc == 0 && a->trace.samples)
        run_of_samples(runs_add(&side->runs), a->trace.samples);
    else if (rc == 0)
        run_of_profile(runs_add(&side->runs), a, kernels_group_named(o->group),
                       !window_is_whole(progress_wanted()));
    for (uint32_t i = 0; rc == 0 && i < a->trace.nnotes; i++)
        exit_note(a->trace.notes[i]);
    if (rc == 0 && !side->profile) {
        side->profile = a;
        return 0;
    }
    analysis_close(a);
    free(a);
    return rc;
}

int compare_files_load(struct compare_files *side, const char *word, const struct options *o,
                       struct error *err)
{
    int rc = 0;
    *side = (struct compare_files){.n = 0};
    split_names(side, word);
    if (side->n == 0)
        return error_set(err, ERROR_USAGE, EINVAL, "A1,A2 B1,B2", "compare", "no file on a side");
    for (size_t i = 0; i < side->n && rc == 0; i++) {
        const char *path = side->paths[i];
        bool profile = !session_recognise(path) && !run_json_recognise(path);
        if (!profile && !window_is_whole(progress_wanted()))
            rc = error_set(err, ERROR_USAGE, EINVAL, "compare all of it", path,
                           "--from, --to and --range are for profiles");
        else if (session_recognise(path))
            rc = load_session(side, path, err);
        else if (run_json_recognise(path))
            rc = run_json_read(&side->runs, path, err);
        else
            rc = load_profile(side, path, o, err);
    }
    return rc;
}

void compare_files_unload(struct compare_files *side)
{
    runs_free(&side->runs);
    for (size_t i = 0; i < side->n; i++)
        free(side->paths[i]);
    free(side->paths);
    if (side->profile)
        analysis_close(side->profile);
    free(side->profile);
    recording_free(side->session);
    *side = (struct compare_files){.n = 0};
}
