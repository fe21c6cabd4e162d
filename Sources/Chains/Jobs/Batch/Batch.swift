// One chain for many devices: completely known before anything happens.
//
// A pure value. It is read from a file, printed by a dry run, and run by BatchRunner.

public import Bluetooth
import Documents

/// A chain, its devices, and how to run it on them.
public struct Batch: Sendable {
  /// The devices of a batch.
  public enum Devices: Sendable {
    /// Listed in the file or in a table, each with its plan.
    case listed([BatchDevice])
    /// Found by a scan when the batch begins.
    case scanned(BatchScan)
  }

  /// The name of the batch, for people.
  public var name: String?
  /// What the chain runs on: a list, or what a scan finds.
  public var devices: Devices
  /// How many chains run at once, at least 1.
  public var concurrency: Int
  /// Whether a failed device ends the batch.
  public var onFailure: FailureRule
  /// The deadline of one round, without clean-up; nil: none.
  public var deadline: Duration?
  /// It runs at once and then at this interval, at least 1 s; nil: it runs once.
  public var every: Duration?

  /// A batch; see the properties. Starts nothing.
  ///
  /// By default, it runs one device after the other, once, without a deadline, and continues after
  /// a failure.
  ///
  /// ```swift
  /// let batch = Batch(
  ///   devices: .listed([BatchDevice(label: "hall", target: .name("Soil-1"), plan: plan)]),
  ///   concurrency: 4, onFailure: .stop(after: 3))
  /// ```
  public init(
    name: String? = nil, devices: Devices, concurrency: Int = 1, onFailure: FailureRule = .continue,
    deadline: Duration? = nil, every: Duration? = nil
  ) {
    self.name = name
    self.devices = devices
    self.concurrency = concurrency
    self.onFailure = onFailure
    self.deadline = deadline
    self.every = every
  }
}

/// A device of a batch, and its plan.
public struct BatchDevice: Hashable, Sendable {
  /// Its name in output, unique in the batch.
  public let label: String
  /// How the device is found.
  public let target: DeviceTarget
  /// Its name when a scan found it; nil for a listed device.
  public let name: String?
  /// The chain with the values of this device.
  public var plan: Plan
  /// Which gateways of a fleet run its job: the wishes of the device, and of the whole batch.
  public var placement = Placement()
  /// Where the plan comes from, for whoever sends it elsewhere; nil for a plan made in Swift.
  var origin = Uncompared<(template: ChainTemplate, bindings: Bindings)?>(nil)

  /// A device with its own plan, whose variables have values already.
  public init(label: String, target: DeviceTarget, name: String? = nil, plan: Plan) {
    self.label = label
    self.target = target
    self.name = name
    self.plan = plan
  }
}

/// What happens to waiting devices when a device fails.
public enum FailureRule: Hashable, Sendable, CustomStringConvertible {
  /// They run all the same.
  case `continue`
  /// None begins after this number of failures. Running chains continue to their end.
  case stop(after: Int)

  public var description: String {
    switch self {
    case .continue: "go on"
    case .stop(after: 1): "stop"
    case .stop(let count): "stop after \(count)"
    }
  }
}

extension Batch {
  /// `12 devices`, or `devices of a scan`.
  public var extent: String {
    guard case .listed(let devices) = devices else { return "devices of a scan" }
    return counted(devices.count, "device")
  }

  /// Whether a device names a gateway of a fleet.
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
      // All plans differ in the device.
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

  /// A plan, and the devices that it is for.
  private static func group(
    _ devices: String, _ plan: Plan, _ placement: Placement = Placement()
  ) -> [String] {
    let steps = plan.lines.filter { $0 != "device    (not named)" }
    return ["", "for       \(devices)".printable] + placement.lines + steps
  }
}
