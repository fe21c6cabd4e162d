// The options that every command with a device takes.

import ArgumentParser
import BlueZ
import Bluetooth
import Signals

/// Which world, which adapter, how long, how it is printed.
struct CommonOptions: ParsableArguments {
  /// How results are printed.
  enum Output: String, ExpressibleByArgument, CaseIterable {
    case text, json
  }

  @Option(help: ArgumentHelp("A simulated device; repeat for more.", valueName: "file"))
  var simulate: [String] = []

  @Option(help: "Where all randomness of a simulation comes from.")
  var seed: UInt64 = 0

  @Flag(help: "Let simulated time pass as on the wall.")
  var realTime = false

  @Option(help: "The adapter: hci0, its address, or its name.")
  var adapter: String?

  @Option(help: "How results are printed: text or json.")
  var output: Output = .text

  func validate() throws {
    guard realTime, simulate.isEmpty else { return }
    throw ValidationError("--real-time is for simulated devices: name one with --simulate.")
  }

  var adapterSelector: AdapterSelector {
    adapter.map { AdapterSelector(parsing: $0) } ?? .first
  }

  /// The world that the options ask for. Says what is missing, and ends with 65 or 69.
  func world() throws -> World {
    guard simulate.isEmpty else {
      let definitions = try loadDevices(simulate)
      return try World.simulated(definitions, seed: seed, isPaced: realTime)
    }
    do {
      return try World.real()
    } catch {
      StandardError.line("blerun: \(error)")
      throw ExitCode(69)
    }
  }
}

/// A duration on the command line: 10s, 500ms, 2m, 1h.
struct DurationArgument: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    let digits = argument.prefix { $0.isNumber || $0 == "." }
    guard let number = Double(digits), number >= 0, number.isFinite else { return nil }
    switch argument.dropFirst(digits.count) {
    case "ms": duration = .microseconds(Int64(number * 1000))
    case "s": duration = .milliseconds(Int64(number * 1000))
    case "m": duration = .milliseconds(Int64(number * 60_000))
    case "h": duration = .milliseconds(Int64(number * 3_600_000))
    default: return nil
    }
  }
}
