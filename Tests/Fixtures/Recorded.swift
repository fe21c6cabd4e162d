// Records the values that closures on any thread report to a test.

import Signals

/// A list that any thread may append to, in the order of the calls.
package final class Recorded<Element: Sendable>: Sendable {
  private let list = Guarded<[Element]>([])

  package init() {}

  package var all: [Element] { list.withLock { $0 } }
  package func add(_ element: Element) { list.withLock { $0.append(element) } }
  package func removeAll() { list.withLock { $0 = [] } }
}
