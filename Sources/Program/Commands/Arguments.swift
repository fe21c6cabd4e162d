// Values on the command line: durations, ages, sizes, formats, capabilities.

import ArgumentParser
import Bluetooth
import Documents

extension Duration {
  /// One in which something can happen.
  ///
  /// - Throws: `ValidationError` for zero, and as ``argument(_:)``.
  static func positiveArgument(_ argument: String) throws -> Duration {
    let duration = try Self.argument(argument)
    guard duration > .zero else {
      throw ValidationError("expected \(Duration.expected), found '\(argument)'")
    }
    return duration
  }

  /// A duration with its unit: `10s`, `500ms`, `2m`, `1h`.
  ///
  /// - Throws: `ValidationError` with what is expected.
  static func argument(_ argument: String) throws -> Duration {
    if let duration = Duration(written: argument) { return duration }
    throw ValidationError(
      Duration(written: argument + "s") == nil
        ? "expected a duration such as 10s, 500ms or 2m" : "add a unit: \(argument)s"
    )
  }
}

/// How old something may be: `90d`, `12h`, `30m`.
struct AgeArgument: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    if argument.last == "d", let days = Int(argument.dropLast()), (0...36_500).contains(days) {
      duration = .seconds(days * 86_400)
    } else if let written = Duration(written: argument) {
      duration = written
    } else {
      return nil
    }
  }
}

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

/// A SHA-256 on the command line.
///
/// - Throws: `ValidationError` with what is expected.
func digestArgument(_ argument: String) throws -> String {
  guard argument.utf8.count == 64, argument.utf8.allSatisfy({ $0 < 128 }),
    argument.allSatisfy(\.isHexDigit)
  else { throw ValidationError("expected 64 hexadecimal digits, as sha256sum prints them") }
  return argument.lowercased()
}

/// A format on the command line.
struct FormatArgument: ExpressibleByArgument {
  let format: ValueFormat

  init?(argument: String) {
    guard let format = ValueFormat(argument) else { return nil }
    self.format = format
  }

  static var allValueStrings: [String] { ValueFormat.names }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// What a capability option takes.
struct CapabilityArgument: ExpressibleByArgument {
  let capability: AgentCapability

  init?(argument: String) {
    guard let capability = AgentCapability(rawValue: argument) else { return nil }
    self.capability = capability
  }

  static var allValueStrings: [String] { AgentCapability.allCases.map(\.rawValue) }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
