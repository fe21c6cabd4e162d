// The failures of devices that are counted apart, because the chain itself did not fail: a fleet has them.

import Bluetooth
package import Documents

/// The numbers of failed devices by code, for the codes that are not the chain's.
public struct EndsApart: Hashable, Sendable {
  /// The codes that are counted apart, in the order of reports.
  package static let codes = [
    "unknown", "interrupted", "no-gateway", "no-capable-gateway", "ambiguous", "needs-bond",
    "expired", "held", "not-allowed",
  ]

  private var counts: [String: Int] = [:]

  package init() {}

  package init(_ endings: [RunEnding]) {
    for ending in endings { count(ending.failure) }
  }

  package mutating func count(_ failure: RunFailure?) {
    guard let code = failure?.code.rawValue, Self.codes.contains(code) else { return }
    counts[code, default: 0] += 1
  }

  /// The text after the number of all failures: ` (2 unknown, 1 no-gateway)`; empty without any.
  package var text: String {
    let parts = Self.codes.compactMap { code in counts[code].map { "\($0) \(code)" } }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  /// The numbers by code; nil without any.
  package var json: JSONValue? {
    let members = Self.codes.compactMap { code in
      counts[code].map { JSONValue.Member(code, $0.json) }
    }
    return members.isEmpty ? nil : .object(members)
  }
}
