/* The picture of a stage in each size, in UTF-8 and in ASCII, compared with tests/data/golden. */
#pragma once

#include "support/stage.h"

/* name: of the file, without its ending. The stage has the last size afterwards. */
void stage_picture(struct stage *s, const char *name);
