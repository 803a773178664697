/* emulated_views.cpp and emulated_propagate.cpp: how many of their comparisons fail. */
#ifndef TESTS_COMPUTE_EMULATED_VIEWS_H
#define TESTS_COMPUTE_EMULATED_VIEWS_H

int emulated_views(void);
int emulated_propagate(void);

#endif
