// The state of an interrupted run of a batch, to resume it.

public import Bluetooth
public import Documents

/// An interrupted round of a batch, and its remaining devices.
///
/// Pure: it is made from a journal, and read by BatchRunner.
public struct BatchPast: Hashable, Sendable {
  /// A device of the round.
  public struct Device: Hashable, Sendable {
    /// The device, as output names it.
    public let label: String
    /// Its name when a scan found it.
    public let name: String?
    /// The ending of its last chain; nil when none ended.
    public let ending: Ending?

    /// What an earlier run of the batch recorded of a device.
    public init(label: String, name: String? = nil, ending: Ending? = nil) {
      self.label = label
      self.name = name
      self.ending = ending
    }
  }

  /// The ending of the chain of a device.
  public struct Ending: Hashable, Sendable {
    /// How the run on the device ended.
    public let status: RunEnding.Status
    /// The class of the failure; nil when the chain succeeded.
    public let `class`: FailureClass?
    /// How many steps ended with a warning.
    public let warnings: Int

    /// An ending, with the class of its failure.
    public init(_ status: RunEnding.Status, _ class: FailureClass? = nil, warnings: Int = 0) {
      self.status = status
      self.class = `class`
      self.warnings = warnings
    }
  }

  /// The ordinal of the round in the batch, from 1.
  public let round: Int
  /// All devices of the round, in the order in which they began or should begin.
  public let devices: [Device]
  /// The endings of the devices that are not run again.
  public let counts: BatchCounts
  private let leftOut: Set<String>

  /// What is left of an interrupted round.
  ///
  /// - Parameters:
  ///   - round: The index of the round, from 1.
  ///   - devices: The devices of the round.
  ///   - skipsFailed: Whether failed devices are skipped, too. Otherwise they are run again, like
  ///     the devices that were cancelled, had not ended or did not begin.
  public init(round: Int, devices: [Device], skipsFailed: Bool) {
    self.round = round
    self.devices = devices
    var (counts, leftOut) = (BatchCounts(), Set<String>())
    for device in devices {
      guard let ending = device.ending else { continue }
      switch ending.status {
      case .failed where !skipsFailed, .cancelled: continue
      case .ok, .warning, .failed:
        counts.count(ending)
        leftOut.insert(device.label)
      }
    }
    self.counts = counts
    self.leftOut = leftOut
  }

  /// The remaining devices of a batch; nil when they are not known before a scan.
  ///
  /// - Throws: `DocumentErrors` when the chain is invalid for a device that the scan found.
  func left(of batch: Batch) throws(DocumentErrors) -> [BatchDevice]? {
    switch batch.devices {
    case .listed(let devices): return left(of: devices)
    case .scanned(let scan): return devices.isEmpty ? nil : left(of: try scan.devices(self))
    }
  }

  func left(of devices: [BatchDevice]) -> [BatchDevice] {
    devices.filter { !leftOut.contains($0.label) }
  }

  /// The number of remaining devices of the round.
  public var left: Int { devices.count - leftOut.count }
}

extension Batch {
  /// The batch with its remaining devices; the complete batch when a scan must find them.
  ///
  /// ```swift
  /// let past = BatchPast(
  ///   round: 1, devices: [.init(label: "hall", ending: .init(.ok)), .init(label: "attic")],
  ///   skipsFailed: false)
  /// let rest = try Batch.load(path: "fleet.yaml").left(after: past)  // without the hall
  /// ```
  ///
  /// - Throws: `DocumentErrors` when the chain is invalid for a device that a scan found.
  public func left(after past: BatchPast) throws(DocumentErrors) -> Batch {
    guard let left = try past.left(of: self) else { return self }
    var batch = self
    batch.devices = .listed(left)
    return batch
  }
}
