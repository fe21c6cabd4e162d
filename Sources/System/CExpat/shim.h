// expat, the XML parser; at least 2.4, which bounds what entities can grow to.
#pragma once

// The header hides the two limits unless this is defined, as it is where the library is built.
#ifndef XML_DTD
#define XML_DTD 1
#endif

#include <expat.h>

#if XML_MAJOR_VERSION < 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 4)
#error "expat 2.4 or later is needed: older ones do not bound the expansion of entities"
#endif
