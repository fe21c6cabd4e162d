// How two devices are paired, by what each can show and take in.
//
// Pure data of the specification.

import BlueZInterfaces
import SimulatedDevices

/// Input and output of one side.
enum IOCapability: Hashable, Sendable {
  case displayOnly
  case displayYesNo
  case keyboardOnly
  case noInputNoOutput
  case keyboardDisplay

  /// As an agent is registered with it; nil for a word that bluetoothd refuses.
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

  /// What a simulated device has.
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
  /// Whether it can show a number and say yes or no to it.
  var compares: Bool { self == .displayYesNo || self == .keyboardDisplay }
}

/// Who shows what to whom.
enum AssociationModel: Hashable, Sendable {
  case justWorks
  /// Both show the same number.
  case comparison
  /// The host enters what the device has.
  case hostEnters
  /// The host shows what is typed on the device.
  case hostDisplays

  /// The model of a pairing that the host begins, with LE Secure Connections.
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

  /// How secure a link is with the key that it makes.
  var security: LinkSecurity { self == .justWorks ? .encrypted : .authenticated }
}
