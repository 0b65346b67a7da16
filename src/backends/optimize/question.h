/* A question to an external proposer, rooftop.proposal/1. docs/OPTIMIZE.md describes its fields. */
#pragma once

#include "engine/optimize/proposer.h"

/* Makes the document as text, which the caller frees, with only the last QUESTION_PAST verdicts. */
enum { QUESTION_PAST = 50 };
extern const struct fields question_record; /* of a struct proposal_request */
char *question_document(const struct proposal_request *r);
/* Decides what an answer is: only white space is no answer, a text that begins as a diff is one,
 * any other is a whole file. Takes ownership of text, n bytes. */
void question_answer(struct proposal_answer *out, char *text, size_t n);
/* Writes a file of the candidate's folder, and replaces an existing one. 0 or -errno with err. */
int question_keep(const struct proposal_request *r, const char *name, const char *text, size_t n,
                  struct error *err);
