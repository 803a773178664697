/* The rates of this machine, measured once and kept in a file. */
#ifndef CLI_RATES_H
#define CLI_RATES_H

#include "graco_more.h"

/* Fills *rates for the device and threads of `config`: from $XDG_CACHE_HOME/graco, or ~/.cache/graco,
 * where a measurement by this program on this machine is not too old, else by a measurement, which it
 * tries to keep there. Unless quiet, says that it measures. */
graco_status rates_get(graco_rates *rates, const graco_config *config, bool quiet);

#endif
