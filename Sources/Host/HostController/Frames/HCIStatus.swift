// HCI status codes.

/// An HCI error code, with names for those that the commands used here can return.
///
/// - Source: Bluetooth Core 5.4, Vol 1, Part F.
struct HCIStatus: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  let rawValue: UInt8

  static let success = HCIStatus(rawValue: 0x00)
  static let unknownCommand = HCIStatus(rawValue: 0x01)
  static let unknownConnection = HCIStatus(rawValue: 0x02)
  /// The answer to a change of parameters while another one is pending, among others.
  static let commandDisallowed = HCIStatus(rawValue: 0x0c)
  /// The controller of this host lacks the feature.
  static let unsupportedFeature = HCIStatus(rawValue: 0x11)
  /// The controller of the device lacks the feature.
  static let unsupportedRemoteFeature = HCIStatus(rawValue: 0x1a)
  static let procedureCollision = HCIStatus(rawValue: 0x23)
  static let transactionCollision = HCIStatus(rawValue: 0x2a)
  static let controllerBusy = HCIStatus(rawValue: 0x3a)

  /// Whether another procedure is under way on the connection, after which the command may succeed.
  var isBusy: Bool {
    [.commandDisallowed, .procedureCollision, .transactionCollision, .controllerBusy].contains(self)
  }

  private var name: String? {
    switch rawValue {
    case 0x00: "Success"
    case 0x01: "Unknown HCI Command"
    case 0x02: "Unknown Connection Identifier"
    case 0x03: "Hardware Failure"
    case 0x0c: "Command Disallowed"
    case 0x11: "Unsupported Feature or Parameter Value"
    case 0x12: "Invalid HCI Command Parameters"
    case 0x1a: "Unsupported Remote Feature"
    case 0x1f: "Unspecified Error"
    case 0x20: "Unsupported LL Parameter Value"
    case 0x23: "LL Procedure Collision"
    case 0x2a: "Different Transaction Collision"
    case 0x3a: "Controller Busy"
    case 0x3b: "Unacceptable Connection Parameters"
    default: nil
    }
  }

  /// The number and the name, such as `0x02 Unknown Connection Identifier`.
  var description: String {
    let digits = String(rawValue, radix: 16)
    let number = "0x" + (digits.utf8.count == 1 ? "0" : "") + digits
    return name.map { "\(number) \($0)" } ?? number
  }
}
