// What `watch` does: which values of which devices, and what is made of them.
//
// A pure value. Watching carries it out.

package import Bluetooth
import Spelling

/// The devices that are watched, their characteristics, and the form of the output.
package struct WatchPlan: Hashable, Sendable {
  /// A device and what is watched of it.
  package struct Device: Hashable, Sendable {
    package let target: DeviceTarget
    package var characteristics: [CharacteristicSelector]

    package init(_ target: DeviceTarget, _ characteristics: [CharacteristicSelector]) {
      self.target = target
      self.characteristics = characteristics
    }
  }

  /// How values arrive.
  package enum Source: Hashable, Sendable {
    /// They are notified or indicated.
    case notify(SubscriptionOptions)
    /// They are read at this interval, from start to start.
    case poll(every: Duration)
  }

  /// What is made of the values.
  package enum View: Hashable, Sendable {
    /// Each value is printed.
    case values
    /// The latest values of all characteristics are one record, printed when one of them changes.
    case combined
    /// The number of values in each window, and their rate per second.
    case rate(window: Duration)
  }

  package let devices: [Device]
  package var source: Source
  package var view: View
  /// The format of values without a specification.
  package var format: ValueFormat?
  /// The fields that are printed; empty for all.
  package var fields: [String]
  /// How long connecting, subscribing and one read may take, each.
  package var limit: Duration
  /// How long to watch, from when all subscriptions are active; nil: until it is cancelled.
  package var duration: Duration?
  /// After how many printed records it ends; nil: it is not counted.
  package var count: Int?
  /// Whether a device that cannot be connected is tried again, at the start and after a drop.
  package var reconnects: Bool

  package init(
    _ devices: [Device], source: Source, view: View = .values, format: ValueFormat? = nil,
    fields: [String] = [], limit: Duration = Plan.usualTimeout, duration: Duration? = nil,
    count: Int? = nil, reconnects: Bool = true
  ) {
    self.devices = devices
    self.source = source
    self.view = view
    self.format = format
    self.fields = fields
    self.limit = limit
    self.duration = duration
    self.count = count
    self.reconnects = reconnects
  }

  /// How many characteristics can be watched in all.
  package static let mostSeries = 64

  /// One characteristic of one device.
  package struct Series: Sendable {
    /// Its index in ``WatchPlan/series``.
    package let index: Int
    /// The index of its device.
    package let device: Int
    package let target: CharacteristicSelector
    /// Its step, in events.
    package let reported: ReportedStep
  }

  /// Everything that is watched, by device, in the order of the command line.
  package var series: [Series] {
    var series: [Series] = []
    for (index, device) in devices.enumerated() {
      for (placed, target) in zip(StepPosition.place(steps(of: device)), device.characteristics) {
        series.append(
          Series(index: series.count, device: index, target: target, reported: placed.reported)
        )
      }
    }
    return series
  }

  /// The chain that does the same on each device, as a dry run prints it: for journals.
  package var definition: String {
    devices.map { device in
      Plan(device: device.target, timeout: limit, steps: steps(of: device)).description
    }.joined(separator: "\n")
  }

  private func steps(of device: Device) -> [Step] {
    device.characteristics.map { target in
      let stop = StopConditions(duration: duration)
      return switch source {
      case .notify(let options):
        Step(.notify(Listening(to: target, format: format, stop, options: options)))
      case .poll(let period): Step(.poll(Polling(target, every: period, format: format, stop)))
      }
    }
  }

  /// What it is doing, for a status line: `watching battery-level`.
  package var doing: String {
    let names = devices.flatMap(\.characteristics)
    guard devices.count > 1 else {
      return "watching \(names.map(\.description).joined(separator: ", "))"
    }
    return "watching \(counted(names.count, "characteristic")) of \(devices.count) devices"
  }

  // MARK: Fields

  /// The message about what cannot be watched so; nil when all can.
  package var problem: String? {
    let count = devices.map(\.characteristics.count).reduce(0, +)
    if count > Self.mostSeries {
      return "expected at most \(Self.mostSeries) characteristics, found \(count)"
    }
    if view == .combined, count < 2 { return "--combine: expected two characteristics or more" }
    let known = devices.flatMap(\.characteristics).map { target in
      (target, Subjects(of: target.uuid, format: format, kind: .single).fields)
    }
    for field in fields where !known.contains(where: { $0.1.contains(field) }) {
      let names = known.flatMap(\.1)
      let nearest = Spelling.nearest(to: field, among: names).map { "; did you mean '\($0)'?" }
      return "--field: unknown field '\(field)'\(nearest ?? "")"
    }
    guard !fields.isEmpty else { return nil }
    for (target, names) in known where !fields.contains(where: { names.contains($0) }) {
      let expected = names.isEmpty ? "it has none" : "expected \(names.joined(separator: ", "))"
      return "--field: no field of \(target) is named (\(expected))"
    }
    return nil
  }

  /// The fields of a value that are printed; nil where it has none of them at the moment.
  ///
  /// A value that does not match its format has no fields, and is printed as it came.
  func selected(_ value: StepValue) -> StepValue? {
    guard !fields.isEmpty, let decoded = value.decoded else { return value }
    let chosen = fields.compactMap { decoded.field(at: $0) }
    return chosen.isEmpty ? nil : StepValue(octets: value.octets, decoded: .fields(chosen))
  }
}
