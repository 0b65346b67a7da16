/* librooftop in tests: where it records, and how another process would read it. */
#ifndef ROOFTOP_TESTS_SUPPORT_BRICK_FILE_H
#define ROOFTOP_TESTS_SUPPORT_BRICK_FILE_H

#include "backends/brick/reader.h"

/* A folder for this process's and its children's files; before the first call of librooftop. */
const char *brick_folder_begin(void);
void brick_folder_end(void); /* takes it away with all that is in it */
/* The file of a child (the newest of that pid); fails the test where there is none. */
struct brick_reader *brick_file_open(int pid);
/* The place with this path of names, as in "forward/Layer 0/RmsNorm"; NULL = there is none. */
const struct brick_node *brick_file_node(const struct brick_reader *r, const char *path);

#endif
