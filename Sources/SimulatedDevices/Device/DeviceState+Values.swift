// The present values of a device, those made of others among them.

import Bluetooth
import Signals

extension DeviceState {
  /// How many values may be made of one another in a row.
  private static let depth = 16

  /// The value that a read finds.
  mutating func readValue(of index: Int, elapsed: Duration) -> [UInt8] {
    let value = present(index, elapsed: elapsed)
    characteristics[index].reads += 1
    return value
  }

  /// The value at a moment, without its being read.
  func present(_ index: Int, elapsed: Duration, depth: Int = 0) -> [UInt8] {
    if let held = characteristics[index].held { return held }
    guard case .follow(let follower) = characteristics[index].definition.behaviour else {
      return characteristics[index].present(elapsed: elapsed)
    }
    // A value that is made of itself is none.
    guard depth < Self.depth else { return [] }
    let scope = Scope(variables: variables(follower.views, elapsed: elapsed, depth: depth))
    return follower.value.octets(in: scope)
  }

  /// What is seen of other characteristics.
  func variables(_ views: [View], elapsed: Duration, depth: Int = 0) -> Variables {
    var result = Variables()
    for view in views {
      let source = table.indices(of: view.characteristic).first
      let octets = source.map { present($0, elapsed: elapsed, depth: depth + 1) } ?? []
      result[view.name] = view.value(in: octets)
    }
    return result
  }

  /// The value that a tick sends; nil: the behaviour is over.
  mutating func tick(_ index: Int, elapsed: Duration) -> [UInt8]? {
    if let held = characteristics[index].held {
      characteristics[index].ticks += 1
      return held
    }
    guard case .follow = characteristics[index].definition.behaviour else {
      return characteristics[index].tick(elapsed: elapsed)
    }
    characteristics[index].ticks += 1
    return present(index, elapsed: elapsed)
  }

  /// The time before a tick of a subscribed characteristic; nil: it has none.
  ///
  /// A follower ticks with the fastest of its sources that move by themselves.
  func delay(beforeTick tick: Int, of index: Int) -> Duration? {
    let behaviour = characteristics[index].definition.behaviour
    guard case .follow = behaviour else { return behaviour.delay(before: tick) }
    return period(ofFollower: index, depth: 0)
  }

  private func period(ofFollower index: Int, depth: Int) -> Duration? {
    guard depth < Self.depth else { return nil }
    let periods = followers.sources[index].compactMap { source -> Duration? in
      switch characteristics[source].definition.behaviour {
      case .follow: period(ofFollower: source, depth: depth + 1)
      case .counter(let counter): counter.every
      case .wave(let wave): wave.every
      case .noise(let noise): noise.every
      case .constant, .echo, .series, .response: nil
      }
    }
    return periods.filter { $0 > .zero }.min()
  }
}
