// A file descriptor that is sent in a message: type `h`.

import Glibc
import Signals

/// The owner of one file descriptor, which is closed with its last reference.
///
/// Two are equal when they are the same owner, not when they refer to the same file.
public final class UnixFD: Sendable {
  /// Why a descriptor could not be copied.
  public struct DuplicationFailed: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error number of `fcntl`.
    public let errno: Int32

    public var description: String { "a file descriptor cannot be duplicated: error \(errno)" }
  }

  private let owned: Guarded<Int32>

  /// Takes ownership of a descriptor.
  ///
  /// - Precondition: It is open, and nobody else closes it.
  public init(owning descriptor: Int32) {
    precondition(descriptor >= 0, "a file descriptor is not negative")
    owned = Guarded(descriptor)
  }

  deinit {
    let descriptor = owned.withLock { $0 }
    if descriptor >= 0 { close(descriptor) }
  }

  /// The descriptor, still owned by this object; -1 once it was released.
  public var descriptor: Int32 { owned.withLock { $0 } }

  /// Another descriptor of the same open file, with close-on-exec.
  ///
  /// ```swift
  /// func socket(in reply: Message) throws -> UnixFD? {
  ///   try reply.body.first?.asUnixFD?.duplicate()
  /// }
  /// ```
  ///
  /// - Throws: ``DuplicationFailed`` when no descriptor is left, or this one was released.
  public func duplicate() throws(DuplicationFailed) -> UnixFD {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { throw DuplicationFailed(errno: errno) }
    return UnixFD(owning: copy)
  }

  /// Gives up ownership: the caller closes the descriptor.
  ///
  /// ```swift
  /// func descriptor(of owner: UnixFD) -> Int32 { owner.release() }
  /// ```
  ///
  /// - Returns: The descriptor, or -1 when it was released before.
  public func release() -> Int32 {
    owned.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
  }
}

extension UnixFD: Hashable {
  public static func == (left: UnixFD, right: UnixFD) -> Bool { left === right }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
