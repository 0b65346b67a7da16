/* Instrumented programs for tests of bricks, as a user runs them. */
#pragma once

/* Makes the temporary folder. Sets DEMO, the transformer of the examples; LIBS, the folder of
 * rooftop's libraries; SANITIZER, the flags with which the libraries were compiled. Returns 0. */
int brick_demo_begin(void **state);
