/*
 * Everything that a screen of rooftop can be about: each made-up machine, and each kind of opened
 * file, for tests that must hold for all screens.
 */
#pragma once

#include "support/stage.h"

/* Their names; NULL-terminated. */
extern const char *const *const subject_names;

/* Opens the app with that subject. Fails the test if a file of it cannot be opened. */
void subject_stage_open(struct stage *s, const char *name, int cols, int rows);
/* Closes the app and the files that were opened for it. */
void subject_stage_close(struct stage *s);
