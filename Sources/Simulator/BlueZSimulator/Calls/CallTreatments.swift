// Which calls are treated in which way.

import BlueZInterfaces
package import DBus
package import SimulatedDevices

/// The active treatments.
package struct CallTreatments: Sendable {
  private var all: [(selection: CallSelection, treatment: CallTreatment)] = []

  /// Every call is served as usual.
  package init() {}

  /// Treats the selected calls this way from now on; `CallTreatment.take` handles them normally.
  package mutating func set(_ selection: CallSelection, _ treatment: CallTreatment) {
    all.removeAll { $0.selection == selection }
    if treatment != .take { all.append((selection, treatment)) }
  }

  /// Handles all calls normally.
  package mutating func clear() { all = [] }

  /// The treatment of a call.
  package func treatment(of call: Message) -> CallTreatment {
    let kind = FaultKind(requestedBy: call)
    let found = all.first { entry in
      switch entry.selection {
      case .requests(let wanted): kind.map { $0 == wanted || wanted == .any } ?? false
      case .member(let member): call.member == member
      }
    }
    return found?.treatment ?? .take
  }
}

extension FaultKind {
  /// nil for calls that are not requests to a device, such as those for objects and properties.
  fileprivate init?(requestedBy call: Message) {
    switch (call.interface, call.member) {
    case (Device1.interface, Device1.connect.name): self = .connect
    case (Device1.interface, Device1.disconnect.name): self = .disconnect
    case (_, GattCharacteristic1.readValue.name): self = .read
    case (_, GattCharacteristic1.writeValue.name): self = .write
    case (_, GattCharacteristic1.startNotify.name),
      (_, GattCharacteristic1.acquireNotify.name):
      self = .subscribe
    default: return nil
    }
  }
}
