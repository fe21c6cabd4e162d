// The identity address that belongs to a name, found before a job is queued.
//
// Pure values: they collect the reports of the gateways for a while, then decide.

public import Bluetooth
public import Signals

/// Collects the sightings of a name.
public struct NameResolution: Sendable {
  /// The meaning of a name.
  public enum Decision: Equatable, Sendable {
    /// One device.
    case device(BluetoothAddress)
    /// Several devices, in the order of their addresses.
    case ambiguous([BluetoothAddress])
    /// Only private addresses, which change. Only a gateway with the bond knows the identity address.
    case needsBond
    /// No gateway observed the name. These gateways have reported.
    case notObserved(by: [String])
  }

  private let name: String
  private var gateways: Set<String> = []
  private var identities: Set<BluetoothAddress> = []
  private var hasPrivate = false

  /// Begins to look for a name, which must match exactly.
  public init(of name: String) { self.name = name }

  /// Adds a report of a gateway.
  public mutating func add(_ report: SightingReport) {
    gateways.insert(report.gateway)
    for sighting in report.sightings where sighting.name == name {
      if sighting.isIdentity { identities.insert(sighting.address) } else { hasPrivate = true }
    }
  }

  /// The decision from the reports so far. One identity address wins over private addresses with
  /// the same name, which may belong to the same device.
  public var decision: Decision {
    let found = identities.sorted()
    if found.count > 1 { return .ambiguous(found) }
    if let only = found.first { return .device(only) }
    return hasPrivate ? .needsBond : .notObserved(by: gateways.sorted())
  }
}

/// Looks for the device with a name, at most until the deadline of its job.
///
/// Even after the first match it waits until every gateway has had time to report, so that a second
/// device with the same name is not missed.
public struct NameSearch: Sendable {
  /// The state of a search.
  public enum Progress: Equatable, Sendable {
    /// Not decided. Ask again at this instant, and after each report.
    case waits(until: Instant)
    /// The job is for this device.
    case device(BluetoothAddress)
    /// No single device was found: the job ends with this state.
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
  ///   - name: The name, which must match exactly.
  ///   - listening: The shortest time to collect reports. It must be longer than the pause between two
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

  /// Returns the state of the search.
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
