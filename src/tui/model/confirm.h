/* A question that does something when the user answers y (overlays/confirm.c). */
#pragma once

struct confirm {
    char title[64]; /* "delete this capture?" */
    /* the thing in question; more about it; a further note */
    char what[160], about[512], note[160];
    char yes[96]; /* the label of y: "deletes it" */
    /* Called after y, with ctx and the key of the row; returns a set of enum app_request. */
    unsigned (*run)(void *ctx, const char *key);
    void *ctx;
};
