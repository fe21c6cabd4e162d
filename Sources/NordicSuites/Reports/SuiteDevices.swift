// What the devices of a suite are called in what is kept and reported of it.

public import Bluetooth

/// A suite, with the devices that the command line gives its targets.
public struct SuiteDevices: Sendable {
  public let suite: Suite
  private let devices: [String: DeviceTarget]

  /// - Parameter devices: The devices of targets that the suite gives no address, by the identifiers
  ///   of these.
  public init(_ suite: Suite, _ devices: [String: DeviceTarget] = [:]) {
    self.suite = suite
    self.devices = devices
  }

  /// What the device of a target is called, as far as that is known before a scan binds it.
  ///
  /// - Parameter id: The target; nil for the first one.
  public func label(of id: String?) -> String {
    let id = id ?? suite.targets.first?.id
    guard let target = suite.targets.first(where: { $0.id == id }) else { return id ?? "-" }
    return devices[target.id]?.text ?? target.address.map { "\($0)" } ?? target.name ?? target.id
  }
}

extension SuiteTest {
  /// What this run of the test is called: its title, and what the run is called beside.
  public var name: String { title + (run.map { ", \($0)" } ?? "") }
}
