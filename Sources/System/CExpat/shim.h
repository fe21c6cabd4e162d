// expat, the XML parser; 2.4 or later, which limits the expansion of entities.
#pragma once

// The header declares the two limits only if this is defined, as it is when the library is built.
#ifndef XML_DTD
#define XML_DTD 1
#endif

#include <expat.h>

#if XML_MAJOR_VERSION < 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 4)
#error "expat 2.4 or later is needed: older ones do not bound the expansion of entities"
#endif
