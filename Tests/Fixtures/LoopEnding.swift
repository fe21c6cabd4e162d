// Ends the loop of a test fixture, whose queued jobs and timers would keep the fixture alive.
//
// It knows nothing else of the fixture.

package import Signals

/// Ends a loop when it is freed. A fixture stores one.
package final class LoopEnding: Sendable {
  private let loop: Loop
  private let close: @Sendable () -> Void

  /// - Parameters:
  ///   - loop: The loop, on which no wait is possible afterwards.
  ///   - close: Called before, to end waits on the loop, such as pending calls.
  package init(_ loop: Loop, closing close: @escaping @Sendable () -> Void = {}) {
    self.loop = loop
    self.close = close
  }

  deinit {
    close()
    loop.end()
  }
}
