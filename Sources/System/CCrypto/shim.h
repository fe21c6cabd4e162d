// libcrypto, the cryptography of OpenSSL 3.
#pragma once

#include <openssl/evp.h>
