// One chain on many devices, as it is to be run: known whole before anything happens.
//
// A pure value. It is read from a file, printed by a dry run, and run by BatchRunner.

public import Bluetooth

/// A chain, the devices it is for, and how they are worked through.
public struct Batch: Sendable {
  /// The devices of a batch.
  public enum Devices: Sendable {
    /// Listed in the file, or in a table: each with the plan that is run on it.
    case listed([BatchDevice])
    /// Found when the batch begins.
    case scanned(BatchScan)
  }

  /// What the batch is called, for people.
  public var name: String?
  public var devices: Devices
  /// How many chains run at once, from 1.
  public var concurrency: Int
  public var onFailure: FailureRule
  /// How long one run of the whole batch may take, clean-up not counted; nil: as long as it takes.
  public var deadline: Duration?
  /// When it is run again; nil: it is run once.
  public var schedule: Schedule?

  public init(
    name: String? = nil,
    devices: Devices,
    concurrency: Int = 1,
    onFailure: FailureRule = .continue,
    deadline: Duration? = nil,
    schedule: Schedule? = nil
  ) {
    self.name = name
    self.devices = devices
    self.concurrency = concurrency
    self.onFailure = onFailure
    self.deadline = deadline
    self.schedule = schedule
  }
}

/// A device of a batch, and the chain as it is run on it.
public struct BatchDevice: Hashable, Sendable {
  /// What output calls it; no other device of the batch is called the same.
  public let label: String
  public let target: DeviceTarget
  /// What it called itself as a scan found it; nil for one that is listed.
  public let name: String?
  /// The chain with the values of this device in it.
  public var plan: Plan

  public init(label: String, target: DeviceTarget, name: String? = nil, plan: Plan) {
    self.label = label
    self.target = target
    self.name = name
    self.plan = plan
  }
}

/// What the failure of a device means for those that have not begun.
public enum FailureRule: Hashable, Sendable, CustomStringConvertible {
  /// They are run all the same.
  case `continue`
  /// None begins once so many have failed. Chains under way go on to their end.
  case stop(after: Int)

  public var description: String {
    switch self {
    case .continue: "go on"
    case .stop(after: 1): "stop"
    case .stop(let count): "stop after \(count)"
    }
  }
}

/// Bounds on a batch. What is beyond them is a complaint about the file.
public struct BatchLimits: Hashable, Sendable {
  /// Devices that are listed, or taken from a scan.
  public var devices = 10_000
  /// Chains at once. A controller has a few links; more than that is for simulated ones.
  public var concurrency = 64
  /// Complaints about single devices that are told.
  public var complaints = 20
  public var plan = PlanLimits()

  public init() {}
}

extension Batch {
  /// `12 devices`, or `devices of a scan`.
  public var extent: String {
    guard case .listed(let devices) = devices else { return "devices of a scan" }
    return counted(devices.count, "device")
  }

  /// All of the batch but its devices, line by line: what a dry run prints first.
  public var head: [String] {
    var lines = ["batch     \(name ?? "(no name)")"]
    switch devices {
    case .listed(let devices): lines.append("devices   \(devices.count)")
    case .scanned(let scan): lines.append("devices   those of scan \(scan)")
    }
    lines.append("at once   \(concurrency)")
    lines.append("failures  \(onFailure)")
    if let deadline { lines.append("deadline  \(deadline.written)") }
    if let schedule { lines.append("schedule  \(schedule)") }
    return lines.map { TextReport.visible($0) }
  }

  /// The whole batch, line by line. Devices with equal plans share one description.
  public var lines: [String] {
    switch devices {
    case .listed(let devices): head + Self.groups(devices)
    case .scanned(let scan): head + [""] + scan.example.plan.lines
    }
  }

  static func groups(_ devices: [BatchDevice]) -> [String] {
    var groups: [(plan: Plan, labels: [String])] = []
    var indices: [Plan: Int] = [:]
    for device in devices {
      var plan = device.plan
      // It is the one thing in which all of them differ.
      plan.device = nil
      if let index = indices[plan] {
        groups[index].labels.append(device.label)
      } else {
        indices[plan] = groups.count
        groups.append((plan, [device.label]))
      }
    }
    return groups.flatMap { plan, labels in
      let steps = plan.lines.filter { $0 != "device    (not named)" }
      let head = "for       \(labels.joined(separator: ", "))"
      return ["", TextReport.visible(head)] + steps
    }
  }
}
