// A bounded ring of the most recent values.
//
// A pure value.

/// The most recent values, at most `limit`; a new value replaces the oldest.
package struct RecentValues<Value> {
  package let limit: Int
  private var ring: [Value] = []
  /// The index of the oldest value, once the ring is full.
  private var oldest = 0

  /// - Parameter limit: The number of values to keep, 0 or more.
  package init(limit: Int) {
    precondition(limit >= 0, "a limit is not negative")
    self.limit = limit
  }

  /// The values, oldest first.
  package var values: [Value] { Array(ring[oldest...] + ring[..<oldest]) }

  /// The newest value; nil if there is none.
  package var last: Value? {
    ring.isEmpty ? nil : ring[(oldest + ring.count - 1) % ring.count]
  }

  /// Adds the newest value.
  package mutating func append(_ value: Value) {
    if ring.count < limit {
      ring.append(value)
    } else if limit > 0 {
      ring[oldest] = value
      oldest = (oldest + 1) % limit
    }
  }
}

extension RecentValues: Sendable where Value: Sendable {}

extension RecentValues: Equatable where Value: Equatable {
  package static func == (one: Self, other: Self) -> Bool {
    one.limit == other.limit && one.values == other.values
  }
}
