// The end of a test's loop: what lies in its queue and its timers would keep a whole fixture alive.
//
// A fixture holds one; it does not say what the fixture is.

package import Signals

/// Ends a loop when it is itself no longer held.
package final class Ending: Sendable {
  private let loop: Loop
  private let close: @Sendable () -> Void

  /// - Parameters:
  ///   - loop: Ended with this object; nothing can be awaited on it afterwards.
  ///   - close: Called before, for what waits on the loop for somebody's answer.
  package init(_ loop: Loop, closing close: @escaping @Sendable () -> Void = {}) {
    self.loop = loop
    self.close = close
  }

  deinit {
    close()
    loop.end()
  }
}
