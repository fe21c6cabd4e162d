// Which values are made of which others.

import Bluetooth

/// The followers among the characteristics of a device, by index.
struct FollowerTable {
  /// What each characteristic is made of; empty for those that follow none.
  let sources: [[Int]]
  /// All that change with each characteristic, near ones first.
  private let dependents: [[Int]]
  private let isSeries: [Bool]

  init(_ table: AttributeTable) {
    let characteristics = table.characteristics.map(\.definition)
    let sources = characteristics.map { characteristic -> [Int] in
      guard case .follow(let follower) = characteristic.behaviour else { return [] }
      return follower.views.compactMap { table.indices(of: $0.characteristic).first }
    }
    self.sources = sources
    dependents = characteristics.indices.map { Self.dependents(of: $0, sources) }
    isSeries = characteristics.map { if case .series = $0.behaviour { true } else { false } }
  }

  /// Those that change when a value is stored.
  func of(_ index: Int) -> [Int] { dependents[index] }

  /// Those that change when a series goes on: it does so only for a subscriber.
  func ofSeries(_ index: Int) -> [Int] { isSeries[index] ? dependents[index] : [] }

  private static func dependents(of index: Int, _ sources: [[Int]]) -> [Int] {
    var found: [Int] = []
    var open = [index]
    while !open.isEmpty {
      let next = open.removeFirst()
      for other in sources.indices where sources[other].contains(next) && !found.contains(other) {
        found.append(other)
        open.append(other)
      }
    }
    return found
  }
}
