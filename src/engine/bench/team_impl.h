/* What team.c, team_fetch.c and team_send.c share, and nobody else uses. */
#pragma once

#include "engine/bench/history_impl.h"
#include "engine/bench/server.h"

enum { TEAM_ABOUT = 64 };

struct team {
    struct state_db *s;    /* the copy */
    struct server *server; /* NULL: it does not answer */
    char url[1024], name[SERVER_NAME];
    bool late;
};

/* The texts of a point, in the order of their columns in both databases. */
#define POINT_TEXTS                                                                                \
    "tool, commit_id, cpu, kernel, governor, turbo, smt, microcode, compiler, counters, ends,"     \
    " branch"
enum { POINT_TEXTS_N = 12 };

/* A statement on the copy. 0, or -errno with err. */
int team_prepare(struct team *t, sqlite3_stmt **st, const char *sql, struct error *err);
/* What the server has and the copy lacks. 0, or -errno with err. */
int team_fetch(struct team *t, struct error *err);
