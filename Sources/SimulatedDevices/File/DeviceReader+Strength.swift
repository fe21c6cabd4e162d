// What a device file says of the strength with which a device is heard, and how that moves.

import Bluetooth
import Documents

extension DeviceReader {
  /// `rssi: -60`, `{ path: [{ at: 0s, rssi: -50 }, …], repeats: true }`, or
  /// `{ walk: { low: -90, high: -50 } }`.
  mutating func strength(_ node: Node, _ advertisement: inout AdvertisementDefinition) {
    guard node.mapping != nil else {
      if let rssi = node.integer, Self.strengths.contains(rssi) {
        advertisement.rssi = rssi
      } else {
        problems.append(
          node.problem(
            "\(shown(node)) stands here",
            expected: "a whole number from -127 to 20, { path: [{ at: 0s, rssi: -50 }] } or "
              + "{ walk: { low: -90, high: -50 } }"
          )
        )
      }
      return
    }
    var keys = MappingReader(node)
    let walk = keys.optional("walk")
    let path =
      walk == nil
      ? keys.required("path", expected: "a list such as [{ at: 0s, rssi: -50 }]")
      : keys.optional("path")
    let repeatsNode = keys.optional("repeats")
    let repeats = truth(&keys, "repeats") ?? false
    problems += keys.finish()
    if let walk {
      if path != nil { problems.append(walk.problem("'path' and 'walk' exclude each other")) }
      if let repeatsNode { problems.append(repeatsNode.problem("'repeats' is about a 'path'")) }
      guard let walk = self.walk(walk) else { return }
      advertisement.rssi = walk.start ?? (walk.low + walk.high) / 2
      advertisement.movement = .walk(walk)
      return
    }
    let points = self.points(path)
    guard let first = points.first else { return }
    advertisement.rssi = first.rssi
    advertisement.movement = .path(SignalPath(points, repeats: repeats))
  }

  static let strengths = -127...20

  // MARK: Paths

  /// Points at rising times, the first at 0.
  private mutating func points(_ path: Node?) -> [SignalPath.Point] {
    let points = list(path, "points", atMost: FileLimits.values).compactMap { point($0) }
    if let path, path.sequence?.isEmpty == true {
      problems.append(path.problem("a path has at least one point"))
    }
    if let first = points.first, first.point.time > .zero {
      problems.append(first.node.problem("the path begins later", expected: "a first point at 0s"))
    }
    for (before, after) in zip(points, points.dropFirst())
    where after.point.time <= before.point.time {
      problems.append(after.node.problem("this is not later than the point before it"))
    }
    return points.map(\.point)
  }

  private mutating func point(_ node: Node) -> (point: SignalPath.Point, node: Node)? {
    var keys = MappingReader(node)
    let time = keys.required("at", expected: "a duration from 0s to 24h") { node in
      node.duration.flatMap { $0 <= FileLimits.period.upperBound ? $0 : nil }
    }
    let rssi = keys.required("rssi", expected: "a whole number from -127 to 20") { node in
      node.integer.flatMap { Self.strengths.contains($0) ? $0 : nil }
    }
    problems += keys.finish()
    guard let time, let rssi else { return nil }
    return (SignalPath.Point(at: time, rssi: rssi), node)
  }

  // MARK: Walks

  /// `{ low: -90, high: -50, step: 6, every: 1s, start: -60 }`
  private mutating func walk(_ node: Node) -> SignalWalk? {
    var keys = MappingReader(node)
    let expected = "a whole number from -127 to 20"
    let low = bound(&keys, "low", expected)
    let high = bound(&keys, "high", expected)
    let step = integer(&keys, "step", in: 1...60)
    let times = Duration.milliseconds(100)...Duration.seconds(3600)
    let every = duration(&keys, "every", in: times, "100ms to 1h")
    let startNode = keys.optional("start")
    let start = integer(&keys, "start", in: Self.strengths)
    problems += keys.finish()
    guard let low, let high else { return nil }
    guard low < high else {
      problems.append(node.problem("'low' is not below 'high'"))
      return nil
    }
    if let start, let startNode, !(low...high).contains(start) {
      problems.append(startNode.problem("\(start) is not between 'low' and 'high'"))
    }
    var walk = SignalWalk(low: low, high: high, start: start)
    walk.step = step ?? walk.step
    walk.every = every ?? walk.every
    return walk
  }

  private mutating func bound(
    _ keys: inout MappingReader,
    _ key: String,
    _ expected: String
  ) -> Int? {
    keys.required(key, expected: expected) { node in
      node.integer.flatMap { Self.strengths.contains($0) ? $0 : nil }
    }
  }
}
