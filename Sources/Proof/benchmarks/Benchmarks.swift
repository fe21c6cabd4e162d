// Side-by-side measurements: `make bench`.
//
// Every result is a ratio within one run, because machines are shared and change their speed. No
// result is a limit; tests check only growth.

import CBenchmarkPeers
import Glibc
import Signals

/// The measurements, by name.
@main
struct Benchmarks {
  nonisolated static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case nil: try all()
      case "steps": print(ChainSteps.measured().line)
      case "operators": print(OperatorStream.measured().line)
      case "records": print(try DescribedRecords.measured().line)
      case "reads": try SerialReads.measured().lines.forEach { print($0) }
      case "simulated": print(try SimulatedChains.measured().line)
      case "many": try many(arguments.dropFirst().compactMap { Int($0) })
      case "counts": try counts()
      case "profile":
        try SerialReads.readOnly(arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000)
      #if Fleet
        case "fleet":
          guard let fleet = try SimulatedGateways(arguments.dropFirst()) else {
            throw Unknown(name: "fleet without URL GATEWAYS DEVICES CONNECTIONS")
          }
          try fleet.run { line in
            print(line)
            fflush(nil)
          }
      #endif
      case "serve" where arguments.count == 3:
        exit(peers_serve(arguments[1], Int32(arguments[2]) ?? -1))
      case let name?: throw Unknown(name: name)
      }
    } catch {
      print("benchmarks: \(error)")
      exit(1)
    }
  }

  nonisolated private static func all() throws {
    print(ChainSteps.measured().line)
    print(OperatorStream.measured().line)
    print(try DescribedRecords.measured().line)
    print(try SimulatedChains.measured().line)
    try SerialReads.measured().lines.forEach { print($0) }
  }

  nonisolated private static func many(_ counts: [Int]) throws {
    for count in counts {
      let many = try ManyDevices.measured(count: count)
      print("\(count) simulated devices, 8 at once: \(many.messages) messages")
    }
  }

  /// Prints the counts that must not grow, as `name value` lines; tests compare them with limits.
  nonisolated private static func counts() throws {
    print("growth-octets \(ChainSteps.growth(chains: 100_000))")
    print("repetition-growth-octets \(try RepeatedSteps.growth(count: 200_000))")
    print("many-devices-growth \(decimal(try ManyDevices.growth(count: 1000)))")
  }

  struct Unknown: Error, CustomStringConvertible {
    let name: String
    var description: String {
      "no measurement is called \(name): steps, operators, records, reads, simulated, many COUNT…, "
        + "counts, profile, fleet URL GATEWAYS DEVICES CONNECTIONS (with the trait Fleet), or none for "
        + "all that needs no server"
    }
  }
}

/// The value with two decimals.
func decimal(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}

/// The monotonic clock, in nanoseconds.
func nanoseconds() -> Double { read(CLOCK_MONOTONIC) }

/// The processor time of this process, in nanoseconds.
func processorTime() -> Double { read(CLOCK_PROCESS_CPUTIME_ID) }

private func read(_ clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

func median(_ values: [Double]) -> Double {
  values.sorted()[values.count / 2]
}
