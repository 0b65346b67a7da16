/*
 * An opened file that a summary is about: a profile (engine/analysis), which its caller owns, or
 * one of the other kinds, which are recognised and opened here.
 */
#pragma once

#include "engine/analysis/analysis.h"
#include "engine/att/att_digest.h"
#include "engine/capture/capture.h"
#include "engine/code/code_object.h"
#include "engine/job/hang.h"
#include "engine/job/job_folder.h"
#include "engine/summary/session_facts.h"

enum subject_kind {
    SUBJECT_PROFILE, /* also what nobody recognises: the readers of profiles say what they read */
    SUBJECT_SESSION,
    SUBJECT_TRACES,   /* a folder of thread traces */
    SUBJECT_CAPTURES, /* a captured dispatch, or a folder with some */
    SUBJECT_CODE,     /* a code object of a GPU */
    SUBJECT_JOB,      /* a folder that the ranks of a job recorded into */
    SUBJECT_HANG      /* a dump of a job that hangs, or a folder of them */
};
struct subject {
    const struct analysis *profile; /* borrowed; NULL: it is none */
    const struct att_set *traces;   /* of the file itself, or beside the profile; borrowed */
    const char *path;               /* of what follows */
    struct session_facts *session;
    struct capture_list captures; /* their documents */
    struct job_folder *job;
    struct hang *hang;
    struct code_object *code; /* the file's, or that of the only capture */
    const char *code_why;     /* why a capture's code cannot be read; NULL: it can */
    bool broken;              /* the only capture is damaged, as code_why says */
    uint32_t reading;         /* how often the same was read before, while it changed */
    struct arena memory;
};

/* What kind of file the path is. Only the first bytes of a file, or the names in a folder, are
 * looked at. */
enum subject_kind subject_recognise(const char *path);
/* Opens a session, captures, a code object, a job or dumps of a hang; a session is read to its end.
 * -ECANCELED if the thread's watch (base/watch.h) says so. Returns 0 or -errno with err; free *out
 * in either case. */
int subject_open(struct subject *out, enum subject_kind kind, const char *path, struct error *err);
/* The same of a session that is open already. */
int subject_open_session(struct subject *out, struct recording *r, const char *path,
                         struct error *err);
void subject_free(struct subject *s);
