// Which calls a scenario has treated how.

import BlueZInterfaces
import DBus
import SimulatedDevices

/// The treatments in force, by the kind of request.
struct RequestTreatments {
  private var all: [(kind: FaultKind, treatment: WorldAction.Treatment)] = []

  /// Has requests of a kind treated so; nil: as they should be.
  mutating func set(_ kind: FaultKind, _ treatment: WorldAction.Treatment?) {
    all.removeAll { $0.kind == kind }
    if let treatment { all.append((kind, treatment)) }
  }

  /// What becomes of a call.
  func treatment(of call: Message) -> CallTreatment {
    guard let kind = Self.kind(of: call),
      let found = all.first(where: { $0.kind == kind || $0.kind == .any })
    else { return .take }
    switch found.treatment {
    case .ignored: return .ignore
    case .withoutAnswer: return .loseAnswer
    case .delayed(let delay): return .delay(delay)
    case .wrongTransport:
      let text = "br-connection-" + ConnectionText.profileUnavailable.rawValue
      return .fail(ErrorAnswer.failed(text).dbusError)
    }
  }

  /// nil for calls that are no request to a device, such as those for objects and properties.
  private static func kind(of call: Message) -> FaultKind? {
    switch (call.interface, call.member) {
    case (Device1.interface, Device1.Method.connect): .connect
    case (Device1.interface, Device1.Method.disconnect): .disconnect
    case (_, GattCharacteristic1.Method.readValue): .read
    case (_, GattCharacteristic1.Method.writeValue): .write
    case (_, GattCharacteristic1.Method.startNotify),
      (_, GattCharacteristic1.Method.acquireNotify):
      .subscribe
    default: nil
    }
  }
}
