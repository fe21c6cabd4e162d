// Serial reads with the whole chain API, compared with a plain C libdbus client on the same private
// bus.
//
// Rounds alternate; results are medians and ratios.

import BlueZ
import Bluetooth
import CBenchmarkPeers
import DBus
import Signals

struct SerialReads {
  let ours: Double
  let theirs: Double

  /// The chain API's rate divided by the C client's: above 1 is faster than C.
  var lines: [String] {
    [
      "serial reads through the chain API: \(Int(1e9 / ours))/s, "
        + "\(decimal(theirs / ours)) x the C client (\(Int(1e9 / theirs))/s)"
    ]
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  static func measured(rounds: Int = 9, reads: Int = 2000) throws -> SerialReads {
    let bus = try BenchmarkBus()
    defer { bus.stop() }
    let reader = try Reader(bus.address)
    var ours: [Double] = []
    var theirs: [Double] = []
    for _ in 0..<rounds {
      let took = peers_read_serially(bus.address, Int32(reads))
      guard took > 0 else { throw Failure(description: "the C client could not read") }
      theirs.append(Double(took) / Double(reads))
      let start = nanoseconds()
      try reader.read(reads)
      ours.append((nanoseconds() - start) / Double(reads))
    }
    return SerialReads(ours: median(ours), theirs: median(theirs))
  }

  /// Runs only the reads of the chain API, for a profiler.
  static func readOnly(_ reads: Int) throws {
    let bus = try BenchmarkBus()
    defer { bus.stop() }
    try Reader(bus.address).read(reads)
  }
}

/// Reads as a program does: one blocking call per read.
struct Reader {
  private let service: BlueZDevice
  private let selector: CharacteristicSelector

  init(_ address: String) throws {
    let loop = EventLoop()
    let scheduler = SerialScheduler(on: loop)
    let client = try loop.run {
      let bus = try await MessageBus.open(address: .given(address), on: loop)
      return try await BlueZClient.open(bus: bus)
    }
    service = BlueZDevice(client: client, target: .name("Benchmark"), scheduler: scheduler)
    selector = try CharacteristicSelector(parsing: "battery-level")
  }

  func read(_ count: Int) throws {
    for _ in 0..<count {
      let outcome = service.read(selector).firstOrDefault([], within: .seconds(10))
      guard outcome.value.count == 20 else {
        throw SerialReads.Failure(
          description: "a read failed: \(String(describing: outcome.error))"
        )
      }
    }
  }
}
