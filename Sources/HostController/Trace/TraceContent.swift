// What of a trace is written where, and what is known of it: decisions without a file or a socket.

import Bluetooth

/// The content of a trace as it grows, within its limit.
///
/// It is in up to three files of a third of the limit each: the first, which keeps the beginning, and
/// the last two of those that follow it, numbered from 1. A file is never renamed, so that what was
/// said of it stays true. A trace that cannot have more files (a pipe) ends at the limit.
struct TraceContent: Sendable {
  /// What is to be done with a packet.
  struct Writing: Equatable, Sendable {
    /// The file that is begun with its header before; nil: the present one goes on.
    var begins: Int?
    /// The file that is removed before.
    var removes: Int?
    /// What is written then; nothing for a packet that is left out.
    var octets: [UInt8] = []
  }

  /// A file, 0 being the first, with the packets in it.
  struct File: Equatable, Sendable {
    let number: Int
    var packets: Int
  }

  /// The most octets that a file may have.
  private let most: Int
  private let hasMoreFiles: Bool
  /// Those of the present file.
  private(set) var octets: Int
  /// When each packet of the present file passed, in microseconds since 1970.
  private(set) var times: [Int] = []
  /// The files that there are, the present one last.
  private(set) var files = [File(number: 0, packets: 0)]
  /// How many packets are in no file: those between the first and the others, or after a full one.
  private(set) var left = 0
  private(set) var links = LinkTimings()

  /// - Parameter limit: The most octets, of all files together.
  init(limit: Int, hasMoreFiles: Bool) {
    most = hasMoreFiles ? limit / 3 : limit
    self.hasMoreFiles = hasMoreFiles
    octets = SnoopFormat.header.count
  }

  /// The number of the present file.
  var present: Int { files[files.count - 1].number }

  /// How many packets are written, or were.
  var total: Int { files.reduce(hasMoreFiles ? left : 0) { $0 + $1.packets } }

  /// Takes a packet in.
  mutating func add(_ packet: MonitorPacket, at microseconds: Int) -> Writing {
    links.hear(packet)
    let record = SnoopFormat.record(packet, at: microseconds)
    var writing = Writing()
    let isFull = octets + record.count > most
    if isFull, hasMoreFiles, !times.isEmpty { begin(&writing) }
    // A trace with holes would lie: a full file stays full, for the smallest packet too.
    guard hasMoreFiles || (left == 0 && !isFull) else {
      left += 1
      return writing
    }
    octets += record.count
    times.append(microseconds)
    files[files.count - 1].packets += 1
    writing.octets = record
    return writing
  }

  private mutating func begin(_ writing: inout Writing) {
    let number = present + 1
    writing.begins = number
    if files.count == 3 {
      let removed = files.remove(at: 1)
      writing.removes = removed.number
      left += removed.packets
    }
    files.append(File(number: number, packets: 0))
    times = []
    octets = SnoopFormat.header.count
  }

  /// The packets since a mark that are in the present file; nil when there are none.
  ///
  /// - Parameters:
  ///   - mark: What ``total`` was.
  ///   - file: The name of the present file.
  func slice(since mark: Int, of file: String) -> TraceSlice? {
    let before = total - times.count
    let first = max(0, mark - before)
    guard first < times.count else { return nil }
    let inside = times[first...]
    // The kernel's wall clock can be set back while it counts.
    guard let earliest = inside.min(), let latest = inside.max() else { return nil }
    return TraceSlice(
      file: file,
      packets: first + 1...times.count,
      times: .microseconds(earliest) ... .microseconds(latest),
      before: max(0, before - mark)
    )
  }
}
