// A file descriptor that is sent in a message: type `h`.

import Glibc
import Signals

/// The owner of one file descriptor, which is closed with its last reference.
///
/// Two are equal when they are the same owner, not when they refer to the same file.
package final class UnixFD: Sendable {
  /// A failure to duplicate a descriptor.
  package struct DuplicationFailed: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number of `fcntl`.
    package let errno: Int32

    package var description: String { "a file descriptor cannot be duplicated: error \(errno)" }
  }

  private let owned: Guarded<Int32>

  /// Takes ownership of a descriptor.
  ///
  /// - Precondition: It is open, and no other code closes it.
  package init(owning descriptor: Int32) {
    precondition(descriptor >= 0, "a file descriptor is not negative")
    owned = Guarded(descriptor)
  }

  deinit {
    let descriptor = owned.withLock { $0 }
    if descriptor >= 0 { close(descriptor) }
  }

  /// The descriptor, still owned by this object; -1 after it was released.
  package var descriptor: Int32 { owned.withLock { $0 } }

  /// Another descriptor of the same open file, with close-on-exec.
  ///
  /// - Throws: ``DuplicationFailed`` if no descriptor is left, or this one was released.
  package func duplicate() throws(DuplicationFailed) -> UnixFD {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw DuplicationFailed(errno: errno) }
    return UnixFD(owning: copy)
  }

  /// Passes ownership to the caller, which must close the descriptor.
  ///
  /// - Returns: The descriptor, or -1 when it was released before.
  package func release() -> Int32 {
    owned.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
  }
}

extension UnixFD: Hashable {
  package static func == (left: UnixFD, right: UnixFD) -> Bool { left === right }

  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
