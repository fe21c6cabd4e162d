// Which calls are treated how: those in force, by what they select.

import BlueZInterfaces
public import DBus
public import SimulatedDevices

/// The treatments in force.
public struct CallTreatments: Sendable {
  private var all: [(selection: CallSelection, treatment: CallTreatment)] = []

  public init() {}

  /// Treats the calls of a selection so from now on; ``CallTreatment/take`` as they should be.
  public mutating func set(_ selection: CallSelection, _ treatment: CallTreatment) {
    all.removeAll { $0.selection == selection }
    if treatment != .take { all.append((selection, treatment)) }
  }

  /// Everything is taken as it should be.
  public mutating func clear() { all = [] }

  /// How a call is taken.
  public func treatment(of call: Message) -> CallTreatment {
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
  /// nil for calls that are no request to a device, such as those for objects and properties.
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
