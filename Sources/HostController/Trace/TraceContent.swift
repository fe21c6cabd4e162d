// What of a trace is written where, and what is known of it: decisions without a file or a socket.

import Bluetooth

/// The content of a trace as it grows, within its limit.
///
/// A trace that rotates has two files of half the limit each: when the first is full it takes the
/// place of the second, whose packets are lost, and is begun anew. So the newest half at least is
/// always there. One that cannot rotate (a pipe) ends at the limit.
struct TraceContent: Sendable {
  /// What is to be done with a packet.
  struct Writing: Equatable, Sendable {
    /// The file takes the place of the earlier one, and is begun anew with its header, before.
    var rotates = false
    /// What is written then; nothing for a packet that is left out.
    var octets: [UInt8] = []
  }

  /// The most octets that a file may have.
  private let most: Int
  private let rotates: Bool
  /// Those of the present file.
  private(set) var octets: Int
  /// When each packet of the present file passed, in microseconds since 1970.
  private(set) var times: [Int] = []
  /// How many packets are in the earlier file.
  private(set) var earlier = 0
  /// How many packets are in no file: those before the earlier one, or after a full one.
  private(set) var left = 0
  private(set) var links = LinkTimings()

  /// - Parameter limit: The most octets, of both files together where it rotates.
  init(limit: Int, rotates: Bool) {
    most = rotates ? limit / 2 : limit
    self.rotates = rotates
    octets = SnoopFormat.header.count
  }

  /// How many packets are in the present file.
  var count: Int { times.count }

  /// How many packets there were in all that a mark counts.
  var total: Int { rotates ? left + earlier + count : count }

  /// Takes a packet in.
  mutating func add(_ packet: MonitorPacket, at microseconds: Int) -> Writing {
    links.hear(packet)
    let record = SnoopFormat.record(packet, at: microseconds)
    var writing = Writing()
    if octets + record.count > most, rotates, count > 0 {
      writing.rotates = true
      left += earlier
      earlier = count
      times = []
      octets = SnoopFormat.header.count
    }
    // A trace with holes would lie: a full file stays full, for the smallest packet too.
    guard rotates || (left == 0 && octets + record.count <= most) else {
      left += 1
      return writing
    }
    octets += record.count
    times.append(microseconds)
    writing.octets = record
    return writing
  }

  /// The packets since a mark that are in the present file; nil when there are none.
  ///
  /// - Parameter mark: What ``total`` was.
  func slice(since mark: Int, of file: String) -> TraceSlice? {
    let before = total - count
    let first = max(0, mark - before)
    guard first < count else { return nil }
    let inside = times[first...]
    // The kernel's wall clock can be set back while it counts.
    guard let earliest = inside.min(), let latest = inside.max() else { return nil }
    return TraceSlice(
      file: file,
      packets: first + 1...count,
      times: .microseconds(earliest) ... .microseconds(latest),
      before: max(0, before - mark)
    )
  }
}
