// The plan of `watch`: its devices and characteristics, and the form of the output.
//
// A pure value, performed by Watching.

package import Bluetooth
import Spelling

/// The devices and characteristics of a watch, and the form of its output.
package struct WatchPlan: Hashable, Sendable {
  /// A device and its watched characteristics.
  package struct Device: Hashable, Sendable {
    package let target: DeviceTarget
    package var characteristics: [CharacteristicSelector]

    package init(_ target: DeviceTarget, _ characteristics: [CharacteristicSelector]) {
      self.target = target
      self.characteristics = characteristics
    }
  }

  /// The source of the values.
  package enum Source: Hashable, Sendable {
    /// Notifications or indications.
    case notify(SubscriptionOptions)
    /// Reads at this interval, measured from start to start.
    case poll(every: Duration)
  }

  /// The form of the output.
  package enum View: Hashable, Sendable {
    /// Each value.
    case values
    /// A record with the latest values of all characteristics, each time one of them changes.
    case combined
    /// The number of values in each window, and their rate per second.
    case rate(window: Duration)
  }

  package let devices: [Device]
  package var source: Source
  package var view: View
  /// The format; nil uses that of the characteristic's specification.
  package var format: ValueFormat?
  /// The fields to print; empty for all.
  package var fields: [String]
  /// The timeout of connecting, of subscribing and of one read, each.
  package var limit: Duration
  /// The duration, counted from the moment all subscriptions are active; nil watches until
  /// cancelled.
  package var duration: Duration?
  /// The number of printed records that ends the watch; nil for no limit.
  package var count: Int?
  /// The names for characteristics in output.
  package var names = AttributeNames.assigned
  /// Whether a device that cannot be connected, at the start or after a drop, is tried again.
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

  /// The maximum number of characteristics on all devices together.
  package static let mostSeries = 64

  /// A characteristic of one device.
  package struct Series: Sendable {
    /// The index in ``WatchPlan/series``.
    package let index: Int
    /// The index of the device.
    package let device: Int
    package let target: CharacteristicSelector
    /// The step of the series, in events.
    package let reported: ReportedStep
  }

  /// All series, by device, in the order of the command line.
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

  /// Equivalent chains for each device, in the form of a dry run, for journals.
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

  /// The activity for a status line: `watching battery-level`.
  package var doing: String {
    let names = devices.flatMap(\.characteristics)
    guard devices.count > 1 else {
      return "watching \(names.map(\.description).joined(separator: ", "))"
    }
    return "watching \(counted(names.count, "characteristic")) of \(devices.count) devices"
  }

  // MARK: Fields

  /// The reason that the plan is invalid; nil if it is valid.
  package var problem: String? {
    let count = devices.map(\.characteristics.count).reduce(0, +)
    if count > Self.mostSeries {
      return "expected at most \(Self.mostSeries) characteristics, found \(count)"
    }
    if view == .combined, count < 2 { return "--combine: expected two characteristics or more" }
    let known = devices.flatMap(\.characteristics).map { target in
      (target, Subjects(of: target, format: format, kind: .single).fields)
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

  /// Returns the value with only the fields to print; nil if it has none of them.
  ///
  /// A value that does not match its format has no fields, and is returned unchanged.
  func selected(_ value: StepValue) -> StepValue? {
    guard !fields.isEmpty, let decoded = value.decoded else { return value }
    let chosen = fields.compactMap { decoded.field(at: $0) }
    return chosen.isEmpty ? nil : StepValue(octets: value.octets, decoded: .fields(chosen))
  }
}
