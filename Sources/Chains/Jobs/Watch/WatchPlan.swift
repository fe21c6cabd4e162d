// The plan of `watch`: its devices, their characteristics and RSSI, and the form of the output.
//
// A pure value, performed by Watching.

package import Bluetooth
import RunEvents
import Spelling

/// The devices and characteristics of a watch, and the form of its output.
package struct WatchPlan: Hashable, Sendable {
  /// A device and its watched characteristics.
  package struct Device: Hashable, Sendable {
    package let target: DeviceTarget
    package var characteristics: [CharacteristicSelector]
    /// Whether the RSSI of the connection is measured, too.
    package var measuresRSSI: Bool

    package init(
      _ target: DeviceTarget, _ characteristics: [CharacteristicSelector],
      measuresRSSI: Bool = false
    ) {
      self.target = target
      self.characteristics = characteristics
      self.measuresRSSI = measuresRSSI
    }

    /// The names of what is watched, in the order of the series.
    package var names: [String] {
      characteristics.map(\.description) + (measuresRSSI ? [RSSIStep.verb] : [])
    }
  }

  /// Whether a word stands for the RSSI of the connection, not for a characteristic of that name.
  package static func isRSSI(_ word: String, _ names: AttributeNames = .assigned) -> Bool {
    word == RSSIStep.verb && (try? CharacteristicSelector(parsing: word, names: names)) == nil
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
    fields: [String] = [], limit: Duration = Plan.defaultTimeout, duration: Duration? = nil,
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

  /// The interval of RSSI measurements, unless the values are read at an interval.
  private static let usualRSSIPeriod = Duration.seconds(1)

  /// The interval of RSSI measurements.
  var rssiPeriod: Duration {
    if case .poll(let period) = source { period } else { Self.usualRSSIPeriod }
  }

  /// A characteristic of one device, or the RSSI of the connection to it.
  package struct Series: Sendable {
    /// The index in ``WatchPlan/series``.
    package let index: Int
    /// The index of the device.
    package let device: Int
    /// The characteristic; nil for the RSSI.
    package let target: CharacteristicSelector?
    package let name: String
    /// The step of the series, in events.
    package let reported: ReportedStep
  }

  /// All series, by device, in the order of the command line.
  package var series: [Series] {
    var series: [Series] = []
    for (index, device) in devices.enumerated() {
      for (placed, name) in zip(StepPosition.place(steps(of: device)), device.names) {
        series.append(
          Series(
            index: series.count, device: index, target: placed.step.kind.characteristic,
            name: name, reported: placed.reported
          )
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
    let stop = StopConditions(duration: duration)
    let steps = device.characteristics.map { target in
      switch source {
      case .notify(let options):
        Step(.notify(NotifyStep(to: target, format: format, stop, options: options)))
      case .poll(let period): Step(.poll(PollStep(target, every: period, format: format, stop)))
      }
    }
    return steps + (device.measuresRSSI ? [Step(.rssi(RSSIStep(every: rssiPeriod, stop)))] : [])
  }

  /// The activity for a status line: `watching battery-level`.
  package var participle: String {
    guard devices.count > 1 else {
      return "watching \(devices.flatMap(\.names).joined(separator: ", "))"
    }
    let characteristics = devices.map(\.characteristics.count).reduce(0, +)
    let strengths = devices.count(where: \.measuresRSSI)
    let what = [
      characteristics > 0 ? counted(characteristics, "characteristic") : nil,
      strengths > 0 ? "the RSSI" : nil,
    ].compactMap(\.self).joined(separator: " and ")
    return "watching \(what) of \(devices.count) devices"
  }

  // MARK: Fields

  /// The reason that the plan is invalid; nil if it is valid.
  package var problem: String? {
    let count = devices.map(\.names.count).reduce(0, +)
    if count > Self.mostSeries {
      return "expected at most \(Self.mostSeries) characteristics, found \(count)"
    }
    if format != nil, devices.allSatisfy(\.characteristics.isEmpty) {
      return "--format: the RSSI has no bytes to decode"
    }
    if view == .combined, count < 2 { return "--combine: expected two characteristics or more" }
    let known = series.map { series -> (String, [String]) in
      let fields = series.target.map { Subjects(of: $0, format: format, kind: .single).fields }
      return (series.name, fields ?? LinkStrength.facts.map(\.name))
    }
    for field in fields where !known.contains(where: { $0.1.contains(field) }) {
      let names = known.flatMap(\.1)
      let nearest = Spelling.nearest(to: field, among: names).map { "; did you mean '\($0)'?" }
      return "--field: unknown field '\(field)'\(nearest ?? "")"
    }
    guard !fields.isEmpty else { return nil }
    for (name, names) in known where !fields.contains(where: { names.contains($0) }) {
      let expected = names.isEmpty ? "it has none" : "expected \(names.joined(separator: ", "))"
      return "--field: no field of \(name) is named (\(expected))"
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
