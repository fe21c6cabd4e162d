// Which device a name means: one identity address, before anything is queued.
//
// A pure value. It collects what gateways report for a while, then decides.

public import Bluetooth
public import Signals

/// Collects the sightings of a name.
public struct NameResolution: Sendable {
  /// What a name means.
  public enum Decision: Equatable, Sendable {
    /// One device.
    case device(BluetoothAddress)
    /// Several devices, in the order of their addresses.
    case ambiguous([BluetoothAddress])
    /// Only private addresses, which change: whoever has the bond knows the identity.
    case needsBond
    /// Nobody observed it. These gateways listened.
    case notObserved(by: [String])
  }

  private let name: String
  private var gateways: Set<String> = []
  private var identities: Set<BluetoothAddress> = []
  private var hasPrivate = false

  /// Begins to look for a name, which has to be equal.
  public init(of name: String) { self.name = name }

  /// Adds a report of a gateway.
  public mutating func add(_ report: SightingReport) {
    gateways.insert(report.gateway)
    for sighting in report.sightings where sighting.name == name {
      if sighting.isIdentity { identities.insert(sighting.address) } else { hasPrivate = true }
    }
  }

  /// What is known now. An identity address counts more than private ones of the same name, which
  /// may belong to the same device.
  public var decision: Decision {
    let found = identities.sorted()
    if found.count > 1 { return .ambiguous(found) }
    if let only = found.first { return .device(only) }
    return hasPrivate ? .needsBond : .notObserved(by: gateways.sorted())
  }
}

/// Looks for a name until it is known what it means, or until the deadline of its job.
///
/// All gateways get the time to report before one device is treated as the only one.
public struct NameSearch: Sendable {
  /// How far the search is.
  public enum Progress: Equatable, Sendable {
    /// It is looked at again at this instant, and at each report.
    case waits(until: Instant)
    /// The job is for this device.
    case device(BluetoothAddress)
    /// There is no device for the job.
    case ended(EndState, detail: String)
  }

  /// The name.
  public let name: String
  private var resolution: NameResolution
  private let decidesAt: Instant
  private let deadline: Instant

  /// Begins to look for a name.
  ///
  /// - Parameters:
  ///   - name: The name, which has to be equal.
  ///   - listening: For how long reports are collected at least: longer than the pause between the
  ///     reports of a gateway.
  ///   - deadline: The deadline of the job, from now.
  ///   - now: The time.
  public init(of name: String, listening: Duration, deadline: Duration, at now: Instant) {
    self.name = name
    resolution = NameResolution(of: name)
    decidesAt = now + min(listening, deadline)
    self.deadline = now + deadline
  }

  /// Adds a report of a gateway.
  public mutating func add(_ report: SightingReport) { resolution.add(report) }

  /// How far the search is now.
  public func progress(at now: Instant) -> Progress {
    switch resolution.decision {
    case .ambiguous(let addresses):
      let list = addresses.prefix(20).map(\.description).joined(separator: ", ")
      return .ended(.ambiguous, detail: "\(name) is the name of \(list)")
    case .device(let address):
      return now < decidesAt ? .waits(until: decidesAt) : .device(address)
    case .needsBond:
      if now < deadline { return .waits(until: deadline) }
      let why = "\(name) is advertised from private addresses only, which change"
      return .ended(.needsBond, detail: why)
    case .notObserved(let gateways):
      if now < deadline { return .waits(until: deadline) }
      let listened = gateways.isEmpty ? "no gateway has reported" : gateways.joined(separator: ", ")
      let why = gateways.isEmpty ? listened : "\(name) was not observed by \(listened)"
      return .ended(.noGateway, detail: why)
    }
  }
}
