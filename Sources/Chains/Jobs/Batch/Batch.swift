// One chain for many devices, completely known before the first run.
//
// A pure value. It is read from a file, printed by a dry run, and run by BatchRunner.

public import Bluetooth
import Documents
package import RunEvents

/// A chain, its devices, and the rules for running it on them.
public struct Batch: Sendable {
  public enum Devices: Sendable {
    /// Devices listed in the file or in a table, each with its plan.
    case listed([BatchDevice])
    /// Devices that a scan finds when each round begins.
    case scanned(BatchScan)
  }

  /// The name of the batch, for output.
  public var name: String?
  public var devices: Devices
  /// The maximum number of chains that run at once, at least 1.
  public var concurrency: Int
  /// The effect of a failed device on those that have not begun.
  public var onFailure: FailureRule
  /// The number of devices that run before all others, which begin only if these succeed; 0 for none.
  public var first: Int
  /// The deadline of one round, not counting cleanup; nil for none.
  public var deadline: Duration?
  /// The interval between the starts of two rounds, at least 1 s; nil runs the batch once.
  public var every: Duration?

  /// Creates a batch; starts nothing.
  ///
  /// By default, it runs on one device after another, once, without a deadline, and continues after
  /// a failure.
  ///
  /// ```swift
  /// let batch = Batch(
  ///   devices: .listed([BatchDevice(label: "hall", target: .name("Soil-1"), plan: plan)]),
  ///   concurrency: 4, onFailure: .stop(after: 3))
  /// ```
  public init(
    name: String? = nil, devices: Devices, concurrency: Int = 1, onFailure: FailureRule = .continue,
    first: Int = 0, deadline: Duration? = nil, every: Duration? = nil
  ) {
    self.name = name
    self.devices = devices
    self.concurrency = concurrency
    self.onFailure = onFailure
    self.first = first
    self.deadline = deadline
    self.every = every
  }
}

/// A device of a batch, and its plan.
public struct BatchDevice: Hashable, Sendable {
  /// The name in output, unique in the batch.
  public let label: String
  /// The address or name by which the device is found.
  public let target: DeviceTarget
  /// The advertised name of a device that a scan found; nil for a listed device.
  public let name: String?
  /// The chain, with the values of this device.
  public var plan: Plan
  /// The gateways that may run the job: settings of the device, or else of the batch.
  public var placement = Placement()
  /// The source of the plan, from which a fleet sends it to a gateway; nil for a plan made in
  /// Swift.
  var origin = Uncompared<(template: ChainTemplate, bindings: Bindings)?>(nil)

  /// Creates a device with a plan whose variables already have values.
  public init(label: String, target: DeviceTarget, name: String? = nil, plan: Plan) {
    self.label = label
    self.target = target
    self.name = name
    self.plan = plan
  }

  /// The device as events show it.
  package var reported: ReportedDevice { ReportedDevice(label: label, target: target, name: name) }
}

/// The effect of a failed device on the waiting ones.
public enum FailureRule: Hashable, Sendable, CustomStringConvertible {
  /// All waiting devices still run.
  case `continue`
  /// No device begins after this number of failures. Running chains continue to their end.
  case stop(after: Int)
  /// No device begins once more than this percentage of all devices has failed. Running chains
  /// continue to their end.
  case stopAbove(percent: Int)

  public var description: String {
    switch self {
    case .continue: "go on"
    case .stop(after: 1): "stop"
    case .stop(let count): "stop after \(count)"
    case .stopAbove(let percent): "stop above \(percent) %"
    }
  }
}

extension Batch {
  /// The number of devices, for output: `12 devices`, or `devices of a scan`.
  public var extent: String {
    guard case .listed(let devices) = devices else { return "devices of a scan" }
    return counted(devices.count, "device")
  }

  /// Whether any device names a gateway of a fleet.
  package var hasPlacement: Bool {
    guard case .listed(let devices) = devices else { return false }
    return devices.contains { $0.placement != Placement() }
  }

  /// The batch without its devices, line by line: the first part of a dry run.
  public var head: [String] {
    var lines = ["batch     \(name ?? "(no name)")"]
    switch devices {
    case .listed(let devices): lines.append("devices   \(devices.count)")
    case .scanned(let scan): lines.append("devices   those of scan \(scan)")
    }
    lines.append("at once   \(concurrency)")
    lines.append("failures  \(onFailure)")
    if first > 0 { lines.append("first     \(first)") }
    if let deadline { lines.append("deadline  \(deadline.written)") }
    if let every { lines.append("schedule  every \(every.written)") }
    return lines.map(\.printable)
  }

  /// The complete batch, line by line. Devices with equal plans share one description.
  ///
  /// ```swift
  /// print(try Batch.load(path: "fleet.yaml").lines.joined(separator: "\n"))
  /// ```
  public var lines: [String] {
    switch devices {
    case .listed(let devices): head + Self.groups(devices)
    case .scanned(let scan): head + Self.group("each device that is found", scan.shown)
    }
  }

  static func groups(_ devices: [BatchDevice]) -> [String] {
    struct Work: Hashable {
      let plan: Plan
      let placement: Placement
    }
    var groups: [(work: Work, labels: [String])] = []
    var indices: [Work: Int] = [:]
    for device in devices {
      var plan = device.plan
      // Plans are grouped by everything except the device.
      plan.device = nil
      let work = Work(plan: plan, placement: device.placement)
      if let index = indices[work] {
        groups[index].labels.append(device.label)
      } else {
        indices[work] = groups.count
        groups.append((work, [device.label]))
      }
    }
    return groups.flatMap { work, labels in
      group(labels.joined(separator: ", "), work.plan, work.placement)
    }
  }

  /// The text of one plan, under the devices that share it.
  private static func group(
    _ devices: String, _ plan: Plan, _ placement: Placement = Placement()
  ) -> [String] {
    let steps = plan.lines.filter { $0 != "device    (not named)" }
    return ["", "for       \(devices)".printable] + placement.lines + steps
  }
}
