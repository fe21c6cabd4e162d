// Parses the HCI events that this module uses.

import Bluetooth

/// An event that a controller reported.
///
/// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.
enum HCIEvent: Hashable, Sendable {
  /// A command completed; in most cases its parameters begin with the status.
  case commandComplete(HCIOpcode, parameters: [UInt8])
  /// A command has started, or was refused.
  case commandStatus(HCIOpcode, HCIStatus)
  /// An LE connection was made, or the attempt failed.
  case connected(LEConnection)
  /// The parameters of an LE connection changed.
  case updated(handle: UInt16, ConnectionParameters)
  /// The parameters of an LE connection are unchanged: their change was refused, or failed.
  case updateFailed(handle: UInt16, HCIStatus)
  /// A change of the PHY of an LE connection has ended, whichever side requested it. The PHY is nil if
  /// its number is unknown.
  case phyUpdated(handle: UInt16, HCIStatus, LinkPHY?)
  case disconnected(handle: UInt16)
  case other(code: UInt8)

  private enum Code {
    static let disconnectionComplete: UInt8 = 0x05
    static let commandComplete: UInt8 = 0x0e
    static let commandStatus: UInt8 = 0x0f
    static let meta: UInt8 = 0x3e
  }

  private enum Subevent {
    static let connectionComplete: UInt8 = 0x01
    static let connectionUpdateComplete: UInt8 = 0x03
    static let enhancedConnectionComplete: UInt8 = 0x0a
    static let phyUpdateComplete: UInt8 = 0x0c
    static let enhancedConnectionComplete2: UInt8 = 0x29
  }

  /// Parses an event packet without its packet type byte.
  ///
  /// - Returns: Nil when it is truncated.
  init?(_ octets: some Sequence<UInt8>) {
    var frame = PacketReader(octets)
    guard let code = frame.uint8(), let length = frame.uint8(),
      let parameters = frame.bytes(Int(length))
    else { return nil }
    var reader = PacketReader(parameters)
    switch code {
    case Code.commandComplete:
      guard reader.uint8() != nil, let opcode = reader.uint16() else { return nil }
      self = .commandComplete(HCIOpcode(rawValue: opcode), parameters: reader.remainingBytes())
    case Code.commandStatus:
      guard let status = reader.uint8(), reader.uint8() != nil, let opcode = reader.uint16() else {
        return nil
      }
      self = .commandStatus(HCIOpcode(rawValue: opcode), HCIStatus(rawValue: status))
    case Code.disconnectionComplete:
      guard reader.uint8() != nil, let handle = reader.uint16() else { return nil }
      self = .disconnected(handle: handle)
    case Code.meta:
      guard let event = Self.meta(&reader, code) else { return nil }
      self = event
    default:
      self = .other(code: code)
    }
  }

  private static func meta(_ reader: inout PacketReader, _ code: UInt8) -> HCIEvent? {
    switch reader.uint8() {
    case Subevent.connectionComplete?:
      LEConnection(&reader, isEnhanced: false).map { .connected($0) }
    case Subevent.enhancedConnectionComplete?, Subevent.enhancedConnectionComplete2?:
      LEConnection(&reader, isEnhanced: true).map { .connected($0) }
    case Subevent.connectionUpdateComplete?:
      updated(&reader)
    case Subevent.phyUpdateComplete?:
      phyUpdated(&reader)
    case nil: nil
    default: .other(code: code)
    }
  }

  private static func updated(_ reader: inout PacketReader) -> HCIEvent? {
    guard let status = reader.uint8(), let handle = reader.uint16(),
      let parameters = ConnectionParameters(&reader)
    else { return nil }
    let result = HCIStatus(rawValue: status)
    guard result == .success else { return .updateFailed(handle: handle, result) }
    return .updated(handle: handle, parameters)
  }

  private static func phyUpdated(_ reader: inout PacketReader) -> HCIEvent? {
    guard let status = reader.uint8(), let handle = reader.uint16(), let octets = reader.bytes(2)
    else { return nil }
    return .phyUpdated(handle: handle, HCIStatus(rawValue: status), LinkPHY(octets))
  }
}

/// An LE connection as its first event reports it.
struct LEConnection: Hashable, Sendable {
  let status: HCIStatus
  let handle: UInt16
  let address: BluetoothAddress
  let parameters: ConnectionParameters

  /// Parses the parameters after the subevent code.
  ///
  /// - Parameter isEnhanced: Whether two resolvable addresses precede the connection parameters.
  /// - Source: Bluetooth Core 5.4, Vol 4, Part E §7.7.65.1, §7.7.65.10.
  fileprivate init?(_ reader: inout PacketReader, isEnhanced: Bool) {
    guard let status = reader.uint8(), let handle = reader.uint16(), reader.bytes(2) != nil,
      let address = reader.number(6)
    else { return nil }
    if isEnhanced, reader.bytes(12) == nil { return nil }
    guard let parameters = ConnectionParameters(&reader) else { return nil }
    self.status = HCIStatus(rawValue: status)
    self.handle = handle
    self.address = BluetoothAddress(number: address)
    self.parameters = parameters
  }
}

extension ConnectionParameters {
  /// Parses interval (1.25 ms), latency, supervision timeout (10 ms).
  fileprivate init?(_ reader: inout PacketReader) {
    guard let interval = reader.uint16(), let latency = reader.uint16(),
      let timeout = reader.uint16()
    else { return nil }
    self.init(
      interval: .microseconds(1250 * Int(interval)), latency: Int(latency),
      supervisionTimeout: .milliseconds(10 * Int(timeout))
    )
  }
}
