// What a chain names on a device.

import Bluetooth
import Documents
import Jobs
import SimulatedDevices

extension Plan {
  /// What the steps name that none of the services has, each once, with the first step that names
  /// it, in their order.
  func attributes(
    missingIn services: [ServiceEntry]
  ) -> [(selector: CharacteristicSelector, step: Step)] {
    var named: [(selector: CharacteristicSelector, step: Step)] = []
    func collect(_ steps: [Step]) {
      for step in steps {
        for selector in step.characteristics
        where !named.contains(where: { $0.selector == selector }) {
          named.append((selector, step))
        }
        collect(step.innerSteps)
      }
    }
    collect(steps)
    return named.filter { selector, _ in !services.contains { $0.has(selector) } }
  }

  /// The writes that no characteristic of the services accepts, with the reason, in the order of the
  /// steps. Steps that are to fail are left out.
  func writes(refusedBy services: [ServiceEntry]) -> [(refusal: String, step: Step)] {
    var refused: [(refusal: String, step: Step)] = []
    func collect(_ steps: [Step]) {
      for step in steps {
        if let write = step.write, !step.isToFail {
          let offers = services.flatMap { $0.offers(of: write.target) }
          let refusals = offers.compactMap { write.neededKind.refusal(by: $0) }
          if let first = refusals.first, refusals.count == offers.count {
            refused.append(("\(write.target) \(first)", step))
          }
        }
        collect(step.innerSteps)
      }
    }
    collect(steps)
    return refused
  }

  /// Where a chain file names its device; the complete file where it does not.
  static func placeOfDevice(in file: String) -> Place {
    guard let text = try? TextFile.read(file), let root = try? Document.parse(text, file: file),
      let entry = root.mapping?.first(where: { $0.key == "device" })
    else { return Place(file: file) }
    return entry.value.place
  }
}

extension Step {
  /// What the step writes to a characteristic, also as a trigger.
  fileprivate var write: Write? {
    switch action {
    case .write(let write): write
    case .notify(let listening): listening.trigger
    case .exchange(let exchanging): exchanging.write
    case .connect, .disconnect, .read, .poll, .combine, .rssi, .pair, .unpair, .trust, .mtu,
      .connectionParameters, .services, .readDescriptor, .writeDescriptor, .scan, .sleep, .log,
      .command, .repeated, .when, .assert, .tried:
      nil
    }
  }

  fileprivate var isToFail: Bool { if case .failure = expected { true } else { false } }
}

extension Write {
  /// The kind that the characteristic has to offer: a socket carries commands alone.
  fileprivate var neededKind: WriteKind {
    switch delivery {
    case .call: kind
    case .acquire: .command
    }
  }
}

extension ServiceEntry {
  fileprivate func has(_ selector: CharacteristicSelector) -> Bool {
    !offers(of: selector).isEmpty
  }

  /// The properties of the characteristics that a selector may select.
  fileprivate func offers(of selector: CharacteristicSelector) -> [CharacteristicProperties] {
    guard (selector.service ?? uuid) == uuid else { return [] }
    return characteristics.filter { characteristic in
      selector.handle.map { $0 == characteristic.handle }
        ?? (selector.characteristic == characteristic.uuid)
    }.map(\.properties)
  }
}
