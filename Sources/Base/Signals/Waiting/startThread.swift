// Threads for calls that block without a deadline.

import CLinux
import Glibc

/// Runs a body on a new, detached thread.
///
/// - Parameters:
///   - name: The name that `ps -L` shows; at most 15 bytes.
///   - body: Called once, on the thread.
/// - Returns: Zero; or the error number if no thread is left, in which case `body` is not called.
package func startThread(_ name: StaticString, _ body: @escaping @Sendable () -> Void) -> Int32 {
  let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
  var thread = pthread_t()
  let number = pthread_create(&thread, nil, ThreadStart.entry, start.toOpaque())
  guard number == 0 else {
    start.release()
    return number
  }
  pthread_detach(thread)
  return 0
}

/// The arguments of a new thread.
private final class ThreadStart: Sendable {
  let name: StaticString
  let body: @Sendable () -> Void

  init(name: StaticString, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { raw in
    guard let raw else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(raw).takeRetainedValue()
    start.name.withUTF8Buffer { _ = name_calling_thread($0.baseAddress) }
    start.body()
    return nil
  }
}
