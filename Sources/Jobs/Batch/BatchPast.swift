// What an earlier run of a batch has done, for who goes on with it.

public import Bluetooth
public import Documents

/// A round of a batch that did not come to its end: which of its devices are left.
///
/// Pure: it is made from what a journal says, and read by BatchRunner.
public struct BatchPast: Hashable, Sendable {
  /// A device as the round knew it.
  public struct Device: Hashable, Sendable {
    public let label: String
    /// What it called itself as a scan found it.
    public let name: String?
    /// How its chain ended, the last one if there were several; nil when none did.
    public let ending: Ending?

    public init(label: String, name: String? = nil, ending: Ending? = nil) {
      self.label = label
      self.name = name
      self.ending = ending
    }
  }

  /// How the chain of a device ended.
  public struct Ending: Hashable, Sendable {
    public let status: RunEnding.Status
    /// Of the failure; nil when all went well.
    public let `class`: FailureClass?

    public init(_ status: RunEnding.Status, _ class: FailureClass? = nil) {
      self.status = status
      self.class = `class`
    }
  }

  /// The how manyth run of the whole batch it is, from 1.
  public let round: Int
  /// All devices of the round, in the order in which they began, or were to.
  public let devices: [Device]
  /// How those ended that are not run again.
  public let counts: BatchCounts
  private let leftOut: Set<String>

  /// - Parameter skipsFailed: Whether those that failed are left out, too; else they are run again,
  ///   as those are that were cancelled, that had not ended, and that did not begin.
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

  /// Those of a batch's devices that are to be run yet; nil when they are not known before a scan.
  ///
  /// - Throws: `DocumentErrors` when the chain does not take what the scan found.
  func left(of batch: Batch) throws(DocumentErrors) -> [BatchDevice]? {
    switch batch.devices {
    case .listed(let devices): return left(of: devices)
    case .scanned(let scan): return devices.isEmpty ? nil : left(of: try scan.devices(self))
    }
  }

  /// Those of `devices` that are to be run yet.
  func left(of devices: [BatchDevice]) -> [BatchDevice] {
    devices.filter { !leftOut.contains($0.label) }
  }

  /// How many of the round's devices are to be run yet.
  public var left: Int { devices.count - leftOut.count }
}

extension Batch {
  /// The batch with the devices that are to be run yet; the whole where a scan is to find them.
  ///
  /// - Throws: `DocumentErrors` when the chain does not take what a scan found.
  public func left(after past: BatchPast) throws(DocumentErrors) -> Batch {
    guard let left = try past.left(of: self) else { return self }
    var batch = self
    batch.devices = .listed(left)
    return batch
  }
}
