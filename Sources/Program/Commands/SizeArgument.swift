// A size on the command line.

import ArgumentParser

/// A number of octets, with or without a unit: `64K`, `64M`, `1g`, in powers of 1024.
struct SizeArgument: CustomStringConvertible {
  /// The least that makes sense: a few packets.
  static let least = 4096

  let octets: Int

  init(_ octets: Int) { self.octets = octets }

  /// - Throws: `ValidationError` with what is expected.
  static func reading(_ argument: String) throws -> SizeArgument {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = argument.uppercased().last.flatMap { units[$0] }
    let digits = unit == nil ? argument[...] : argument.dropLast()
    guard let number = Int(digits), number >= 0 else {
      throw ValidationError("expected a number of bytes, or one with K, M or G: 500M")
    }
    let (octets, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !overflow else { throw ValidationError("that is more than can be counted") }
    guard octets >= least else { throw ValidationError("must be at least 4K (\(least) bytes)") }
    return SizeArgument(octets)
  }

  var description: String { "\(octets >> 20)M" }
}
