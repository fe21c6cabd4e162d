// What of a trace is written, and what is known of it: decisions without a file or a socket.

import Bluetooth

/// The content of a trace file as it grows, up to its limit.
struct TraceContent: Sendable {
  /// The most octets that the file may have.
  let limit: Int
  private(set) var octets: Int
  /// When each written packet passed, in microseconds since 1970.
  private(set) var times: [Int] = []
  /// How many packets came after the file was full.
  private(set) var left = 0
  private(set) var links = LinkTimings()

  init(limit: Int) {
    self.limit = limit
    octets = SnoopFormat.header.count
  }

  /// How many packets are written.
  var count: Int { times.count }

  /// Takes a packet in.
  ///
  /// - Returns: What to write for it; nothing once the file is full, which it then stays: a trace
  ///   with holes would lie.
  mutating func add(_ packet: MonitorPacket, at microseconds: Int) -> [UInt8] {
    links.hear(packet)
    let record = SnoopFormat.record(packet, at: microseconds)
    guard left == 0, octets + record.count <= limit else {
      left += 1
      return []
    }
    octets += record.count
    times.append(microseconds)
    return record
  }

  /// The packets since a count of them; nil when there are none.
  func slice(since mark: Int, of file: String) -> TraceSlice? {
    guard mark < count else { return nil }
    let inside = times[mark...]
    // The kernel's wall clock can be set back while it counts.
    guard let earliest = inside.min(), let latest = inside.max() else { return nil }
    return TraceSlice(
      file: file,
      packets: mark + 1...count,
      times: .microseconds(earliest) ... .microseconds(latest)
    )
  }
}
