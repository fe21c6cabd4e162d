// The RSSI of a device in a device file, and how it moves.

import Bluetooth
import Documents

extension DeviceReader {
  static let strengths = -127...20

  private static let dBm = DeviceShape<Int>.integer(strengths)

  struct Movement: Sendable {
    var path: [SignalPath.Point] = []
    var walk: SignalWalk?
    var repeats = false
  }

  static let movementForm = DeviceForm<Movement>(
    "An RSSI that moves in straight lines, or wanders between two bounds.", Movement(),
    [
      DeviceKey(
        "path", \.path,
        Shape.mapping(pointForm).checked.list(
          of: "points", 1...FileLimits.values, none: "a path has at least one point"
        ).afterReading { points, node, reader in reader.check(points, node) }.map {
          $0.map(\.value)
        },
        usual: "", "points connected by straight lines, at rising times from 0s"
      ),
      DeviceKey(
        "walk",
        \.walk,
        Shape.mapping(walkForm).named("walk").afterReading { walk, node, reader in
          reader.check(walk, node)
        },
        "a random walk between two bounds"
      ),
      DeviceKey("repeats", \.repeats, .truth, "whether a path begins again after its last point"),
    ],
    rules: [
      .exclusive(["path", "walk"]),
      .some(
        of: ["path", "walk"], "the key 'path' is missing",
        expected: "a list such as [{ at: 0s, rssi: -50 }]"
      ),
      .never("repeats", with: "walk", "'repeats' is about a 'path'"),
    ]
  )

  static let pointForm = DeviceForm<SignalPath.Point>(
    "A point.",
    SignalPath.Point(at: .zero, rssi: -60),
    [
      DeviceKey(
        "at", \.time, .duration(.zero...FileLimits.period.upperBound), isRequired: true,
        "since the start"
      ),
      DeviceKey("rssi", \.rssi, dBm, isRequired: true, "dBm"),
    ]
  )

  /// `{ low: -90, high: -50, step: 6, every: 1s, start: -60 }`
  static let walkForm = DeviceForm<SignalWalk>(
    "Steps that are drawn from the seed.",
    SignalWalk(low: -127, high: 20),
    [
      DeviceKey("low", \.low, dBm, isRequired: true, "the lower bound, dBm"),
      DeviceKey("high", \.high, dBm, isRequired: true, "the upper bound, dBm"),
      DeviceKey("step", \.step, .integer(1...60), "the longest step up or down, dB"),
      DeviceKey(
        "every",
        \.every,
        .duration(.milliseconds(100) ... .seconds(3600)),
        "the time of a step, over which the RSSI changes evenly"
      ),
      DeviceKey("start", \.start, dBm, usual: "in the middle", "where it begins, dBm"),
    ]
  )

  /// Reports times that do not ascend from 0.
  private mutating func check(_ points: [Located<SignalPath.Point>], _ path: Node) {
    if let first = points.first, first.value.time > .zero {
      problems.append(
        first.node.problem("the path does not begin at 0s", expected: "a first point at 0s")
      )
    }
    for (before, after) in zip(points, points.dropFirst())
    where after.value.time <= before.value.time {
      problems.append(after.node.problem("this is not later than the point before it"))
    }
  }

  private mutating func check(_ walk: SignalWalk, _ node: Node) {
    // The missing key is already reported.
    guard node.value(of: "low") != nil, node.value(of: "high") != nil else { return }
    guard walk.low < walk.high else {
      problems.append(node.problem("'low' is not below 'high'"))
      return
    }
    if let start = walk.start, let node = node.value(of: "start"),
      !(walk.low...walk.high).contains(start)
    {
      problems.append(node.problem("\(start) is not between 'low' and 'high'"))
    }
  }
}

/// A value with the node that it was read from.
struct Located<Value: Sendable>: Sendable {
  let value: Value
  let node: Node
}

extension Shape where State == DeviceReader, Value: Sendable {
  /// The valid values, with their nodes.
  var checked: DeviceShape<Located<Value>> {
    DeviceShape<Located<Value>>(expected, schema: schema) { node, reader in
      let before = reader.problems.count
      let value = self.read(node, &reader)
      return reader.problems.count == before ? value.map { Located(value: $0, node: node) } : nil
    }
  }
}

extension Shape where State == DeviceReader, Value == AdvertisedSignal {
  /// `rssi: -60`, `{ path: [{ at: 0s, rssi: -50 }, …], repeats: true }`, or
  /// `{ walk: { low: -90, high: -50 } }`.
  static var signal: DeviceShape<AdvertisedSignal> {
    let level = DeviceShape<Int>.integer(DeviceReader.strengths)
    return DeviceShape(
      "\(level.expected), a path or a walk",
      schema: Schema.any([level.schema, DeviceReader.movementForm.schema]).described("dBm.")
        .named("rssi"),
      shown: { $0.movement == nil ? "\($0.rssi)" : nil }
    ) { node, reader in
      guard node.mapping == nil else { return moving(node, &reader) }
      if let rssi = node.integer, DeviceReader.strengths.contains(rssi) {
        return AdvertisedSignal(rssi: rssi)
      }
      reader.problems.append(
        node.problem(
          expected: "\(level.expected), { path: [{ at: 0s, rssi: -50 }] } or "
            + "{ walk: { low: -90, high: -50 } }"
        )
      )
      return nil
    }
  }

  private static func moving(_ node: Node, _ reader: inout DeviceReader) -> AdvertisedSignal? {
    let movement = DeviceReader.movementForm.read(node, &reader)
    if let walk = movement.walk {
      return AdvertisedSignal(rssi: walk.start ?? (walk.low + walk.high) / 2, movement: .walk(walk))
    }
    return movement.path.first.map { first in
      let path = SignalPath(movement.path, repeats: movement.repeats)
      return AdvertisedSignal(rssi: first.rssi, movement: .path(path))
    }
  }
}
