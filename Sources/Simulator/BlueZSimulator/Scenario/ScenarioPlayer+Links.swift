// RSSI, TX power, parameters and PHY of simulated connections, as a host's kernel would report them.

public import Bluetooth
import Signals
import SimulatedDevices

extension ScenarioPlayer: LinkMeter {
  /// Draws the RSSI of a connection, from the device's own random generator.
  ///
  /// The TX power is ``SimulatorSettings/transmitPower``, the adapter's.
  public func strength(of link: LinkIdentity) async throws -> LinkStrength {
    guard let simulator, let rssi = simulator.linkRSSI(of: link.address) else {
      throw Self.noLink("measuring the link")
    }
    return LinkStrength(rssi: rssi, txPower: simulator.settings.transmitPower)
  }

  /// The parameters of a connection: those that Linux requests by default, with the interval of the
  /// device if it has a speed, until they are changed.
  public func parameters(of link: LinkIdentity) async throws -> ConnectionParameters {
    let parameters = loop.performAndWait { [self] in
      simulator?.connected(link.address)?.parameters
    }
    guard let parameters else {
      throw Self.noLink("asking for the timing of the link")
    }
    return parameters
  }

  /// Changes the parameters of a connection, six connection events later.
  ///
  /// - Throws: `refused` for an interval that is shorter than the device agrees to.
  /// - Source: Bluetooth Core 5.4, Vol 6, Part B §5.1.1 (a central announces the change at least six
  ///   events before it).
  public func change(
    _ link: LinkIdentity, to wanted: ConnectionParameters
  ) async throws -> ConnectionParameters {
    try await change(link, "changing the connection parameters") { remote throws(DeviceFailure) in
      guard wanted.interval >= remote.device.definition.link.shortestInterval else {
        throw DeviceFailure(
          code: .refused, class: .definite, operation: "changing the connection parameters",
          meaning: "the controller answered 0x3b Unacceptable Connection Parameters", hint: ""
        )
      }
      remote.change(to: wanted)
      return wanted
    }
  }

  /// The PHY of a connection: that of the device's speed, or 1m, until it is changed.
  public func phy(of link: LinkIdentity) async throws -> LinkPHY {
    let phy = loop.performAndWait { [self] in simulator?.connected(link.address)?.phy }
    guard let phy else { throw Self.noLink("asking for the PHY") }
    return LinkPHY(phy)
  }

  /// Changes the PHY of a connection, six connection events later, to one that the device agrees to.
  public func change(_ link: LinkIdentity, to wanted: PHY) async throws -> LinkPHY {
    try await change(link, "changing the PHY") { remote throws(DeviceFailure) in
      if remote.device.definition.link.phys.contains(wanted) { remote.change(to: wanted) }
      return LinkPHY(remote.state.phy)
    }
  }

  /// Performs a change of a connection six connection events later, if the connection is still up.
  private func change<Agreed: Sendable>(
    _ link: LinkIdentity, _ operation: String,
    _ body: @escaping @Sendable (RemoteDevice) throws(DeviceFailure) -> Agreed
  ) async throws -> Agreed {
    let begun = loop.performAndWait { [self] in
      simulator?.connected(link.address).map { remote in
        let events = remote.host.settings.link(remote.state.parameters.interval * 6)
        return (remote: remote, connection: remote.state.connections, wait: events)
      }
    }
    guard let begun else { throw Self.noLink(operation) }
    try await loop.sleep(for: begun.wait)
    let result: Result<Agreed, DeviceFailure> = loop.performAndWait {
      let remote = begun.remote
      guard remote.isConnected, remote.state.connections == begun.connection else {
        return .failure(Self.noLink(operation))
      }
      return Result { () throws(DeviceFailure) in try body(remote) }
    }
    return try result.get()
  }

  private static func noLink(_ operation: String) -> DeviceFailure {
    DeviceFailure(
      code: .notConnected, class: .passing, operation: operation,
      meaning: "the device is not connected", hint: "connect first"
    )
  }
}
