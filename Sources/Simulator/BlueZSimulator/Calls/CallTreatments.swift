// Decides which calls are delayed, ignored or left unanswered.

import BlueZInterfaces
package import DBus
package import SimulatedDevices

package struct CallTreatments: Sendable {
  private var all: [(selection: CallSelection, treatment: CallTreatment)] = []

  /// Creates an empty list: every call is handled normally.
  package init() {}

  /// Sets the treatment of the selected calls; `CallTreatment.take` restores normal handling.
  package mutating func set(_ selection: CallSelection, _ treatment: CallTreatment) {
    all.removeAll { $0.selection == selection }
    if treatment != .take { all.append((selection, treatment)) }
  }

  /// Handles all calls normally.
  package mutating func clear() { all = [] }

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
  /// The kind of request; nil for calls that send no request to a device, such as those for objects
  /// and properties.
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
