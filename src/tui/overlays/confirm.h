/* A question before something that cannot be undone: y does it, any other key does not. */
#pragma once

#include "tui/app/app_state.h"

extern const struct overlay_ops overlay_confirm;

/* Opens a question, which is copied. question->run gets key. */
void confirm_open(struct app *a, const struct confirm *question, const char *key);
/* Answers the open question with yes. */
unsigned confirm_accept(struct app *a);
