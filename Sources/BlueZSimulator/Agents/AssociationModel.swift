// The association model of a pairing, from the I/O capabilities of both sides.
//
// Pure data of the specification.

import BlueZInterfaces
import SimulatedDevices

enum IOCapability: Hashable, Sendable {
  case displayOnly
  case displayYesNo
  case keyboardOnly
  case noInputNoOutput
  case keyboardDisplay

  /// The capability that an agent is registered with; nil for a text that bluetoothd refuses.
  init?(agent text: String) {
    switch text {
    case AgentManager1.Capability.displayOnly: self = .displayOnly
    case AgentManager1.Capability.displayYesNo: self = .displayYesNo
    case AgentManager1.Capability.keyboardOnly: self = .keyboardOnly
    case AgentManager1.Capability.noInputNoOutput: self = .noInputNoOutput
    case AgentManager1.Capability.keyboardDisplay, AgentManager1.Capability.unspecified:
      self = .keyboardDisplay
    default: return nil
    }
  }

  init(_ method: PairingDefinition.Method) {
    switch method {
    case .justWorks, .reject: self = .noInputNoOutput
    case .confirm: self = .displayYesNo
    case .passkeyEntry: self = .displayOnly
    case .passkeyDisplay: self = .keyboardOnly
    }
  }

  var hasDisplay: Bool { self != .keyboardOnly && self != .noInputNoOutput }
  var hasKeyboard: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  /// Whether it can display a number and confirm or reject it.
  var compares: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// Who displays and enters what.
enum AssociationModel: Hashable, Sendable {
  case justWorks
  /// Both display the same number.
  case comparison
  /// The host enters the passkey of the device.
  case hostEnters
  /// The host displays the passkey, and it is entered on the device.
  case hostDisplays

  /// The model of a pairing that the host starts, with LE Secure Connections.
  ///
  /// - Source: Bluetooth Core 5.4, Vol 3, Part H §2.3.5.1, table 2.8.
  init(host: IOCapability, device: IOCapability) {
    if host == .noInputNoOutput || device == .noInputNoOutput {
      self = .justWorks
    } else if host.compares && device.compares {
      self = .comparison
    } else if host.hasKeyboard && (device.hasDisplay || !host.hasDisplay) {
      self = .hostEnters
    } else if host.hasDisplay && device.hasKeyboard {
      self = .hostDisplays
    } else {
      self = .justWorks
    }
  }

  /// The security of a connection with the resulting key.
  var security: LinkSecurity { self == .justWorks ? .encrypted : .authenticated }
}
