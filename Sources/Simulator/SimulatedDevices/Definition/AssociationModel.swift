// The association model of a pairing, from the I/O capabilities of both sides.
//
// Pure data of the specification.

/// The I/O capability of one side, with its number in pairing requests.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part H §3.5.1, table 3.4.
package enum IOCapability: UInt8, Hashable, Sendable {
  case displayOnly
  case displayYesNo
  case keyboardOnly
  case noInputNoOutput
  case keyboardDisplay

  /// The capability of a simulated device.
  package init(_ method: PairingDefinition.Method) {
    switch method {
    case .justWorks, .reject: self = .noInputNoOutput
    case .confirm: self = .displayYesNo
    case .passkeyEntry: self = .displayOnly
    case .passkeyDisplay: self = .keyboardOnly
    }
  }

  var hasDisplay: Bool { self != .keyboardOnly && self != .noInputNoOutput }
  var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  /// True if the side can display a number and the user can confirm or reject it.
  var compares: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// The way in which a pairing is authenticated.
package enum AssociationModel: Hashable, Sendable {
  case justWorks
  /// Both sides display the same number.
  case comparison
  /// The user enters the device's passkey on the host.
  case hostEnters
  /// The user enters the host's passkey on the device.
  case hostDisplays

  /// The model of a pairing that the host starts.
  ///
  /// - Parameter isLegacy: Whether one side lacks LE Secure Connections, which comparison requires.
  /// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.5.1, table 2.8.
  package init(host: IOCapability, device: IOCapability, isLegacy: Bool = false) {
    if host == .noInputNoOutput || device == .noInputNoOutput {
      self = .justWorks
    } else if host.compares && device.compares && !isLegacy {
      self = .comparison
    } else if host == .keyboardDisplay && device == .keyboardDisplay {
      self = .hostDisplays
    } else if host.hasKeyboard && (device.hasDisplay || !host.hasDisplay) {
      self = .hostEnters
    } else if host.hasDisplay && device.hasKeyboard {
      self = .hostDisplays
    } else {
      self = .justWorks
    }
  }

  /// The security of a connection with the resulting key.
  package var security: LinkSecurity { self == .justWorks ? .encrypted : .authenticated }

  /// The actions of the device and its user.
  package var method: PairingDefinition.Method {
    switch self {
    case .justWorks: .justWorks
    case .comparison: .confirm
    case .hostEnters: .passkeyEntry
    case .hostDisplays: .passkeyDisplay
    }
  }
}
