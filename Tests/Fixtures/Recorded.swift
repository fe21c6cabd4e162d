// What a test was told by closures that run elsewhere.

import Signals

/// A list that any thread may append to, in the order of the calls.
package final class Recorded<Element: Sendable>: Sendable {
  private let list = Guarded<[Element]>([])

  package init() {}

  package var all: [Element] { list.withLock { $0 } }
  package func add(_ element: Element) { list.withLock { $0.append(element) } }
  package func forget() { list.withLock { $0 = [] } }
}
