// Which sanitizer the tests were built with, for what cannot be asked of an instrumented program.

import Glibc

/// The sanitizer in this process.
package enum Sanitizer {
  /// Whether the addresses of this program are watched, and its leaks.
  package static var watchesAddresses: Bool { dlsym(nil, "__asan_init") != nil }

  /// Whether this program is instrumented, and so needs much more memory than it asks for.
  package static var isThere: Bool { watchesAddresses || dlsym(nil, "__tsan_init") != nil }
}
