// A size on the command line.

import ArgumentParser

/// A number of octets with its unit: `64K`, `64M`, `1G`, in powers of 1024.
struct SizeArgument: ExpressibleByArgument {
  /// The least that makes sense: a few packets.
  static let least = 4096

  let octets: Int

  init(_ octets: Int) { self.octets = octets }

  init?(argument: String) {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = argument.last.flatMap { units[$0] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    guard let number = Int(digits), number >= 0 else { return nil }
    let (octets, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow, octets >= Self.least else { return nil }
    self.octets = octets
  }

  var defaultValueDescription: String { "\(octets >> 20)M" }
}
