// The adapters of a host, merged from the reports of bluetoothd and of the kernel.
//
// A pure value. Each source may have adapters that the other lacks: in a container only bluetoothd can be asked, and
// the kernel lists adapters that bluetoothd does not use.

import BlueZ
import Bluetooth
import Jobs

/// An adapter that bluetoothd, the kernel or both report.
struct ListedAdapter: Hashable {
  /// The report of bluetoothd; nil if it does not list the adapter.
  var facts: AdapterFacts?
  /// The report of the kernel; nil if it does not list the adapter.
  var details: AdapterDetails?

  /// All adapters, in order of index.
  static func all(_ facts: [AdapterFacts], _ details: [AdapterDetails]) -> [ListedAdapter] {
    var left = details
    let known = facts.map { fact in
      // The bus may be that of another host, whose adapters have the same names.
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

  func lines(_ companies: any CompanyNames) -> [String] {
    var head = [name, address.map { "\($0)" } ?? "(no address)"]
    var lines: [String] = []
    if let details {
      head.append(details.specification.map { "Bluetooth \($0)" } ?? "HCI \(details.version)")
      head.append(companies.name(of: details.manufacturer) ?? "company \(details.manufacturer)")
      lines.append("   can  \(details.supported.joined(separator: ", "))")
      lines.append("   on   \(details.current.joined(separator: ", "))")
    }
    if let facts {
      let state = [facts.isPowered ? "powered" : "off"] + (facts.isDiscovering ? ["scanning"] : [])
      lines.append("   bluetoothd: '\(facts.alias)', \(state.joined(separator: ", "))")
    }
    return [head.joined(separator: "  ")] + lines
  }

  /// The adapter as a JSON line; unknown members are null.
  func line(_ companies: any CompanyNames) -> EventLine {
    let members: KeyValuePairs<String, any JSONWritable> = [
      "adapter": name, "address": address?.description, "alias": facts?.alias,
      "powered": facts?.isPowered ?? details?.current.contains("powered"),
      "discovering": facts?.isDiscovering, "company": details?.manufacturer,
      "companyName": details.flatMap { companies.name(of: $0.manufacturer) },
      "version": details?.specification, "supported": details?.supported,
      "current": details?.current, "features": details.map { HexText($0.features) },
    ]
    return EventLine("adapter", members)
  }
}
