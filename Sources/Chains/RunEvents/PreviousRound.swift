// The state of an interrupted round of a batch, from which it is resumed.

public import Bluetooth
import Documents

/// An interrupted round of a batch, and its remaining devices.
///
/// A pure value: created from a journal, and used by BatchRunner.
public struct PreviousRound: Hashable, Sendable {
  /// A device of the round.
  public struct Device: Hashable, Sendable {
    /// The name of the device in output.
    public let label: String
    /// The advertised name, if a scan found the device.
    public let name: String?
    /// The ending of its last run; nil if none ended.
    public let ending: Ending?
    /// Whether a failed device does not run again, because it is unknown whether it was written to.
    public var isLeftOut = false

    public init(label: String, name: String? = nil, ending: Ending? = nil) {
      self.label = label
      self.name = name
      self.ending = ending
    }
  }

  /// The ending of a run on a device.
  public struct Ending: Hashable, Sendable {
    public let status: RunEnding.Status
    /// The class of the failure; nil if the run succeeded.
    public let `class`: FailureClass?
    /// The number of steps that ended with a warning.
    public let warnings: Int

    public init(_ status: RunEnding.Status, _ class: FailureClass? = nil, warnings: Int = 0) {
      self.status = status
      self.class = `class`
      self.warnings = warnings
    }
  }

  /// The number of the round, from 1.
  public let round: Int
  /// All devices of the round, in their starting order.
  public let devices: [Device]
  /// The outcomes of the devices that do not run again.
  public let counts: BatchCounts
  private let skipped: Set<String>

  /// Creates the state of an interrupted round.
  ///
  /// - Parameters:
  ///   - round: The number of the round, from 1.
  ///   - devices: The devices of the round.
  ///   - skipsFailed: Whether failed devices are skipped, too. Otherwise they run again, like the
  ///     devices that were cancelled, had not ended or did not begin.
  public init(round: Int, devices: [Device], skipsFailed: Bool) {
    self.round = round
    self.devices = devices
    var (counts, skipped) = (BatchCounts(), Set<String>())
    for device in devices {
      guard let ending = device.ending else { continue }
      switch ending.status {
      case .failed where !skipsFailed && !device.isLeftOut, .cancelled: continue
      case .ok, .warning, .failed:
        counts.count(ending)
        skipped.insert(device.label)
      }
    }
    self.counts = counts
    self.skipped = skipped
  }

  /// Whether the device with this label does not run again.
  package func skips(_ label: String) -> Bool { skipped.contains(label) }

  /// The number of remaining devices in the round.
  public var left: Int { devices.count - skipped.count }
}
