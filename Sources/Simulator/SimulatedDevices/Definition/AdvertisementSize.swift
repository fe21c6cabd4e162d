// The size of an advertisement on the air, and whether it fits into advertising packets.
//
// For checks of files: what a host receives of a definition is never cut.

import Bluetooth

/// The data structures of an advertisement, each with the two bytes of its length and its type.
///
/// - Source: Bluetooth Core 5.4, Vol 3, Part C, §11 (structures); Vol 6, Part B, §2.3.1 and §2.3.2.1 (31 bytes in
///   an advertisement and in a scan response); Vol 4, Part E, §7.8.57 (1650 bytes of extended advertising).
package struct AdvertisementSize {
  private struct Structure {
    let title: String
    let octets: Int
    /// Whether it can be in parts of its own: a list of services.
    var isList = false
  }

  /// Bytes of an advertisement, and of the scan response that goes with it.
  private static let packet = 31
  /// Bytes of an extended advertisement, and of one structure, whose length is a byte.
  private static let extended = (all: 1650, structure: 256)

  private var structures: [Structure] = []
  private let isExtended: Bool

  /// - Parameters:
  ///   - name: The name that is sent; nil for none.
  ///   - appearance: The appearance that is sent; nil for none.
  package init(_ advertisement: AdvertisementDefinition, name: String?, appearance: UInt16?) {
    isExtended = advertisement.isExtended
    if advertisement.isConnectable { add("flags", 1) }
    if let name { add("name", name.utf8.count) }
    if appearance != nil { add("appearance", 2) }
    for (title, isShort) in [("services", true), ("services of 16 bytes", false)] {
      let services = advertisement.services.filter { ($0.short != nil) == isShort }
      guard !services.isEmpty else { continue }
      let octets = services.count * (isShort ? 2 : 16)
      structures.append(Structure(title: title, octets: octets + 2, isList: true))
    }
    for data in advertisement.manufacturerData {
      add(.manufacturer(data.company), data.octets.count)
    }
    for data in advertisement.serviceData { add(.service(data.service), data.octets.count) }
    for data in advertisement.templates { add(data.field, data.value.fewestOctets) }
    if advertisement.txPower != nil { add("tx-power", 1) }
  }

  private mutating func add(_ title: String, _ octets: Int) {
    structures.append(Structure(title: title, octets: octets + 2))
  }

  private mutating func add(_ field: TemplateData.Field, _ octets: Int) {
    switch field {
    case .manufacturer(let company):
      let digits = String(company, radix: 16)
      let zeros = String(repeating: "0", count: 4 - digits.utf8.count)
      add("manufacturer-data 0x\(zeros)\(digits)", octets + 2)
    case .service(let service):
      add("service-data \(service)", octets + service.airOctets.count)
    }
  }

  private var octets: Int { structures.reduce(0) { $0 + $1.octets } }

  /// Whether an advertisement of 31 bytes and a scan response of 31 hold it. The flags are in the first.
  package var isLegacy: Bool {
    let flags = structures.first { $0.title == "flags" }?.octets ?? 0
    // Without lists: what they take beside the rest is counted, but not where.
    let whole = structures.filter { !$0.isList && $0.title != "flags" }.map(\.octets)
    let room = Self.packet - flags
    let sums = whole.reduce(into: [0] as Set<Int>) { sums, octets in
      sums.formUnion(sums.map { $0 + octets }.filter { $0 <= room })
    }
    let all = whole.reduce(0, +)
    return octets <= 2 * Self.packet && sums.contains { all - $0 <= Self.packet }
  }

  private var isPossible: Bool {
    guard isExtended else { return isLegacy }
    return octets <= Self.extended.all
      && structures.allSatisfy { $0.isList || $0.octets <= Self.extended.structure }
  }

  /// The error if the advertisement does not fit, with the sizes that do; nil if it fits.
  var problem: (message: String, expected: String)? {
    guard !isPossible else { return nil }
    let parts = structures.map { "\($0.title) \($0.octets)" }.joined(separator: ", ")
    return (
      "the advertisement takes \(octets) bytes: \(parts)",
      isExtended
        ? "at most \(Self.extended.all), and \(Self.extended.structure) each"
        : "at most \(Self.packet) in the advertisement and \(Self.packet) in the scan response, "
          + "or 'extended: true'"
    )
  }
}

extension AdvertisementSize {
  init(_ advertisement: AdvertisementDefinition, of device: DeviceDefinition) {
    self.init(
      advertisement, name: advertisement.name(of: device),
      appearance: advertisement.appearance(of: device)
    )
  }
}

extension ValueTemplate {
  /// The minimum number of octets: names and rows may be empty.
  fileprivate var fewestOctets: Int {
    parts.reduce(0) { sum, part in
      switch part {
      case .octets(let octets): sum + octets.count
      case .number(let format, _): sum + (format.whole?.octets ?? 0)
      case .decimal: sum + 1
      case .variable, .row, .described: sum
      }
    }
  }
}
