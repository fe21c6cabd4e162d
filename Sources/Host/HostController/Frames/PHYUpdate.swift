// The command that changes the PHY of a connection, and the numbers of PHYs in events and answers.

import Bluetooth

/// LE Set PHY: its result arrives later, in an event of its own.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.49.
struct PHYUpdate: LinkProcedure, Hashable {
  let handle: UInt16
  /// The only PHY that the host permits, in both directions.
  let wanted: PHY

  var command: HCICommand {
    // Both directions have a preference. For LE Coded, the controller chooses between 500 and
    // 125 kbit/s.
    let allPHYs: UInt8 = 0
    let options: UInt16 = 0
    return HCICommand(
      opcode: .leSetPHY,
      parameters: handle.littleEndianOctets + [allPHYs, wanted.mask, wanted.mask]
        + options.littleEndianOctets
    )
  }

  /// An event with another PHY counts, too: the peripheral has kept its PHY.
  func result(of event: HCIEvent) -> Result<LinkPHY, HostProblem>? {
    switch event {
    case .phyUpdated(handle, .success, let phy): phy.map { .success($0) } ?? .failure(.phyUnknown)
    case .phyUpdated(handle, let status, _): .failure(problem(status))
    case .updated, .updateFailed, .phyUpdated, .commandStatus, .commandComplete, .disconnected,
      .connected, .other:
      nil
    }
  }

  func problem(_ status: HCIStatus) -> HostProblem {
    switch status {
    case .unknownCommand: .noPHYCommand
    case .unsupportedFeature: .noPHY(wanted)
    case .unsupportedRemoteFeature: .noRemotePHY
    default: HostProblem(status)
    }
  }
}

extension PHY {
  /// The number in events and answers.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.47.
  private var number: UInt8 {
    switch self {
    case .oneMegabit: 1
    case .twoMegabit: 2
    case .coded: 3
    }
  }

  /// The bit in LE Set PHY.
  fileprivate var mask: UInt8 { 1 << (number - 1) }

  fileprivate init?(number: UInt8) {
    guard let phy = Self.allCases.first(where: { $0.number == number }) else { return nil }
    self = phy
  }
}

extension LinkPHY {
  /// Parses the PHY of the host's transmissions and that of the device's, an octet each.
  ///
  /// - Returns: Nil for an unknown number, and for another count of octets.
  init?(_ octets: [UInt8]) {
    guard octets.count == 2, let transmit = PHY(number: octets[0]),
      let receive = PHY(number: octets[1])
    else { return nil }
    self.init(transmit: transmit, receive: receive)
  }
}

extension HCIAnswer {
  /// The PHY that a controller reported for a connection.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.8.47.
  func phy(of handle: UInt16) throws(HostProblem) -> LinkPHY {
    switch self {
    case .refused(.unknownCommand): throw .noPHYCommand
    case .refused(let status): throw HostProblem(status)
    case .done(let parameters):
      var reader = PacketReader(parameters)
      guard reader.uint16() == handle, let octets = reader.bytes(2), let phy = LinkPHY(octets)
      else { throw .phyUnknown }
      return phy
    }
  }
}
