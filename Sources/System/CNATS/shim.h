// libnats, the client library of NATS; 3.4 or later. Only the trait Fleet needs it.
#pragma once

#include <nats/nats.h>

#if NATS_VERSION_NUMBER < 0x030400
#error "libnats 3.4 or later is needed"
#endif
