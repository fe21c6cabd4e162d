#include "peers.h"

#include <malloc.h>

int64_t peers_octets_in_use(void) { return (int64_t)mallinfo2().uordblks; }
