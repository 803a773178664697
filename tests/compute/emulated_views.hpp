/* emulated_views.cpp: how many of its comparisons fail. */
#ifndef TESTS_COMPUTE_EMULATED_VIEWS_H
#define TESTS_COMPUTE_EMULATED_VIEWS_H

int emulated_views(void);

#endif
