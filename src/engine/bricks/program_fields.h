/* The record of an instrumented program (struct brick_program), for frames and documents. */
#pragma once

#include "engine/value/field.h"

extern const struct fields program_record;
