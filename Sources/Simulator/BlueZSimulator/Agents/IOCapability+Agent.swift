// Parses the I/O capability of an agent.

import BlueZInterfaces
import SimulatedDevices

extension IOCapability {
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
}
