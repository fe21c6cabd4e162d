// The adapters of a host, put together from what bluetoothd and the kernel report.
//
// A pure value. Either may know adapters that the other does not: in a container only bluetoothd can
// be asked, and the kernel has adapters that no bluetoothd uses.

import BlueZ
import Bluetooth
import Jobs

/// One adapter, as bluetoothd, the kernel or both report it.
struct ListedAdapter: Hashable {
  /// What bluetoothd reports; nil for an adapter that it does not know.
  var facts: AdapterFacts?
  /// What the kernel reports; nil for an adapter that it does not know.
  var details: AdapterDetails?

  /// All adapters, in order of index.
  static func all(_ facts: [AdapterFacts], _ details: [AdapterDetails]) -> [ListedAdapter] {
    var left = details
    let known = facts.map { fact in
      // The host of the bus may be another one, whose adapters have the same names.
      let place = left.firstIndex {
        $0.address == fact.address ?? $0.address && $0.name == fact.name
      }
      return ListedAdapter(facts: fact, details: place.map { left.remove(at: $0) })
    }
    return (known + left.map { ListedAdapter(details: $0) }).sorted {
      ($0.name.count, $0.name) < ($1.name.count, $1.name)
    }
  }

  private var name: String { facts?.name ?? details?.name ?? "" }

  private var address: BluetoothAddress? { facts?.address ?? details?.address }

  // MARK: Output

  /// - Parameter companies: The names of manufacturers.
  func lines(_ companies: any CompanyNames) -> [String] {
    var head = [name, address.map { "\($0)" } ?? "(no address)"]
    var lines: [String] = []
    if let details {
      head.append(details.specification.map { "Bluetooth \($0)" } ?? "HCI \(details.version)")
      head.append(
        companies.name(of: details.manufacturer) ?? "company \(details.manufacturer)"
      )
      lines.append("   can  \(details.supported.joined(separator: ", "))")
      lines.append("   on   \(details.current.joined(separator: ", "))")
    }
    if let facts {
      let state = [facts.isPowered ? "powered" : "off"] + (facts.isDiscovering ? ["scanning"] : [])
      lines.append("   bluetoothd: '\(facts.alias)', \(state.joined(separator: ", "))")
    }
    return [head.joined(separator: "  ")] + lines
  }

  /// The same for programs; what is not known is null.
  func json(_ companies: any CompanyNames) -> JSONValue {
    let isPowered = facts?.isPowered ?? details?.current.contains("powered")
    let company = details.flatMap { companies.name(of: $0.manufacturer) }
    let features = details.map { DecodedValue.octets($0.features).description }
    let members: [(key: String, value: JSONValue?)] = [
      ("v", JSONValue(JSONLinesReport.version)),
      ("event", .string("adapter")),
      ("adapter", .string(name)),
      ("address", Self.text(address?.description)),
      ("alias", Self.text(facts?.alias)),
      ("powered", isPowered.map { JSONValue.boolean($0) }),
      ("discovering", (facts?.isDiscovering).map { JSONValue.boolean($0) }),
      ("company", (details?.manufacturer).map { JSONValue(Int($0)) }),
      ("companyName", Self.text(company)),
      ("version", Self.text(details?.specification)),
      ("supported", Self.list(details?.supported)),
      ("current", Self.list(details?.current)),
      ("features", Self.text(features)),
    ]
    return .object(members.map { ($0.key, $0.value ?? .null) })
  }

  private static func text(_ text: String?) -> JSONValue? { text.map { .string($0) } }

  private static func list(_ texts: [String]?) -> JSONValue? {
    texts.map { .array($0.map { .string($0) }) }
  }
}
