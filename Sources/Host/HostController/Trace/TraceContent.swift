// Decides which packets of a trace are written to which file, without a file or a socket.

import Bluetooth
import Signals

/// The content of a trace, limited in size.
///
/// It has up to three files, each of a third of the limit: the first one, and the last two of those
/// that follow, numbered from 1. Files are never renamed, so that a reported name stays valid. A
/// trace that cannot have further files (a pipe) ends at the limit.
struct TraceContent: Sendable {
  /// The file operations for one packet.
  struct Writing: Equatable, Sendable {
    /// The file to create first, with its header; nil to continue the current file.
    var begins: Int?
    /// The file to remove first; nil for none.
    var removes: Int?
    /// The bytes to write; empty for a packet that is left out.
    var octets: [UInt8] = []
  }

  /// A file and the number of packets in it; number 0 is the first.
  struct File: Equatable, Sendable {
    let number: Int
    var packets: Int
  }

  /// The maximum size of a file, in octets.
  private let most: Int
  private let hasMoreFiles: Bool
  /// The size of the current file.
  private(set) var octets: Int
  /// The capture time of each packet in the current file, in microseconds since 1970.
  private(set) var times: [Int] = []
  /// The last packets of the current file, as many as a slice may contain.
  private var recent = RecentValues<MonitorPacket>(limit: 32)
  /// The existing files, the current one last.
  private(set) var files = [File(number: 0, packets: 0)]
  /// The number of packets in no file: those between the first and the last files, or after a full
  /// one.
  private(set) var left = 0
  private(set) var links = LinkTimings()

  /// - Parameter limit: The maximum size of all files together, in octets.
  init(limit: Int, hasMoreFiles: Bool) {
    most = hasMoreFiles ? limit / 3 : limit
    self.hasMoreFiles = hasMoreFiles
    octets = SnoopFormat.header.count
  }

  /// The number of the current file.
  var present: Int { files[files.count - 1].number }

  /// The number of packets that are or were written.
  var total: Int { files.reduce(hasMoreFiles ? left : 0) { $0 + $1.packets } }

  mutating func add(_ packet: MonitorPacket, at microseconds: Int) -> Writing {
    links.observe(packet)
    let record = SnoopFormat.record(packet, at: microseconds)
    var writing = Writing()
    let isFull = octets + record.count > most
    if isFull, hasMoreFiles, !times.isEmpty { begin(&writing) }
    // A trace with gaps would be misleading: a full file gets no further packet, however small.
    guard hasMoreFiles || (left == 0 && !isFull) else {
      left += 1
      return writing
    }
    octets += record.count
    // Only the beginning of a packet, which tells its kind.
    recent.append(
      MonitorPacket(
        opcode: packet.opcode, index: packet.index, payload: Array(packet.payload.prefix(24))
      )
    )
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
    recent = RecentValues(limit: recent.limit)
    octets = SnoopFormat.header.count
  }

  /// The packets since a mark that are in the current file; nil when there are none.
  ///
  /// - Parameters:
  ///   - mark: An earlier value of ``total``.
  ///   - file: The name of the current file.
  func slice(since mark: Int, of file: String) -> TraceSlice? {
    let before = total - times.count
    let first = max(0, mark - before)
    guard first < times.count else { return nil }
    let inside = times[first...]
    // The kernel's wall clock can be set back during the recording.
    guard let earliest = inside.min(), let latest = inside.max() else { return nil }
    return TraceSlice(
      file: file, packets: first + 1...times.count,
      times: .microseconds(earliest) ... .microseconds(latest), before: max(0, before - mark),
      last: last(from: first)
    )
  }

  /// The last packets, beginning with the one at that index in the current file.
  private func last(from first: Int) -> [TracePacket] {
    let packets = recent.values.suffix(times.count - first)
    return zip(times.count - packets.count..<times.count, packets).map { place, packet in
      TracePacket(
        number: place + 1, time: .microseconds(times[place]), text: PacketText.text(of: packet)
      )
    }
  }
}
