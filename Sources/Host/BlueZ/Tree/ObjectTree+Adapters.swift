// The adapters in the tree, and the selection of one.

import BlueZInterfaces
import Bluetooth
import DBus

extension AdapterFacts {
  var isBlocked: Bool { powerState == Adapter1.PowerState.blocked }
  /// Whether the adapter is powering on.
  var isTurningOn: Bool { powerState == Adapter1.PowerState.turningOn }

  /// For messages: `hci0 (00:AA:01:00:00:23)`.
  var title: String {
    address.map { "\(name) (\($0))" } ?? name
  }
}

/// Why no adapter can be used.
enum AdapterProblem: Error, Equatable {
  /// None matches the selector; the titles of the existing ones.
  case missing(found: [String])
  /// It is off.
  case off(AdapterFacts)
}

extension ObjectTree {
  /// The adapters, in order of index.
  var adapters: [AdapterFacts] {
    paths(with: Adapter1.interface)
      .compactMap { adapter(at: $0) }
      .sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
  }

  /// Whether the adapter at a path is present and on.
  func isPowered(_ path: ObjectPath) -> Bool {
    value(Adapter1.powered, at: path) ?? false
  }

  /// The adapter at a path.
  func adapter(at path: ObjectPath) -> AdapterFacts? {
    guard let properties = properties(Adapter1.interface, at: path) else { return nil }
    let name = path.lastElement
    let roles = properties[Adapter1.roles]
    return AdapterFacts(
      path: path, name: name, address: properties[Adapter1.address],
      alias: properties[Adapter1.alias] ?? name, isPowered: isPowered(path),
      powerState: properties[Adapter1.powerState],
      isDiscovering: properties[Adapter1.discovering] ?? false,
      isCentral: roles?.contains { $0.hasPrefix(Adapter1.Role.central) } ?? true,
      offersPassiveScan: offersMonitors(at: path)
    )
  }

  /// The selected adapter, which is on.
  func usableAdapter(_ selector: AdapterSelector) throws(AdapterProblem) -> AdapterFacts {
    let all = adapters
    let matching = all.filter { selector.names($0) }
    guard let first = matching.first else {
      throw .missing(found: all.map(\.title))
    }
    guard let powered = matching.first(where: \.isPowered) else { throw .off(first) }
    return powered
  }
}

extension AdapterSelector {
  /// Whether the selector matches an adapter.
  func names(_ adapter: AdapterFacts) -> Bool {
    switch self {
    case .first: true
    case .name(let name): adapter.name == name
    case .address(let address): adapter.address == address
    case .alias(let alias): adapter.alias == alias
    }
  }
}
