// The sanitizer that the tests were built with, for checks that do not hold in an instrumented
// program.

import Glibc

/// The sanitizer of this process.
package enum Sanitizer {
  /// Whether this is an address sanitizer build, which also detects leaks.
  package static var watchesAddresses: Bool { dlsym(nil, "__asan_init") != nil }

  /// Whether this program is instrumented, and so uses much more memory than it allocates.
  package static var isActive: Bool { watchesAddresses || dlsym(nil, "__tsan_init") != nil }
}
