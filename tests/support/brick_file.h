/* librooftop in tests: where it records, and reading the file as another process would. */
#pragma once

#include "backends/bricks/brick_impl.h"
#include "support/test.h"

/* Makes a folder for the files of this process and its children. Call it before the first call of
 * librooftop. */
const char *brick_folder_begin(void);
void brick_folder_end(void); /* removes the folder with its content */
/* main() of a program whose tests run in one such folder. */
#define BRICK_FOLDER_MAIN                                                                          \
    FIXTURE(make_brick_folder)                                                                     \
    {                                                                                              \
        brick_folder_begin();                                                                      \
    }                                                                                              \
    FIXTURE(remove_brick_folder)                                                                   \
    {                                                                                              \
        brick_folder_end();                                                                        \
    }                                                                                              \
    TEST_MAIN(make_brick_folder, remove_brick_folder)

/* Opens the newest file of a process; fails the test if there is none. */
struct brick_reader *brick_file_open(int pid);
/* The place with this path of names, such as "forward/Layer 0/RmsNorm"; NULL if there is none. */
const struct brick_node *brick_file_node(const struct brick_reader *r, const char *path);
