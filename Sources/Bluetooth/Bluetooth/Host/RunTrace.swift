// The port to a recording of HCI traffic, which is not part of this module.

/// A packet of a trace, for people.
public struct TracePacket: Hashable, Sendable {
  /// The number in the file, from 1.
  public let number: Int
  /// The time of capture, since 1970-01-01T00:00:00Z.
  public let time: Duration
  /// The direction and kind, without keys and values: `> ATT Error Response, Write Request to
  /// 0x0017: 0x03`.
  public let text: String

  /// A packet.
  public init(number: Int, time: Duration, text: String) {
    self.number = number
    self.time = time
    self.text = text
  }
}

/// A part of a trace file.
public struct TraceSlice: Hashable, Sendable {
  /// The name of the file.
  public let file: String
  /// The numbers of its packets, from 1, as viewers of the file count them.
  public let packets: ClosedRange<Int>
  /// The times of capture of the first and the last of them, since 1970-01-01T00:00:00Z.
  public let times: ClosedRange<Duration>
  /// The number of packets of the same part in earlier files, as far as these are kept.
  public let before: Int
  /// The last packets of the part; their number is bounded.
  public let last: [TracePacket]

  /// A part of a trace.
  public init(
    file: String, packets: ClosedRange<Int>, times: ClosedRange<Duration>, before: Int = 0,
    last: [TracePacket] = []
  ) {
    self.file = file
    self.packets = packets
    self.times = times
    self.before = before
    self.last = last
  }
}

/// A trace in progress.
public protocol RunTrace: Sendable {
  /// The number of packets recorded so far, including pending ones.
  func mark() -> Int

  /// The packets since a mark, including pending ones; nil without any.
  func slice(since mark: Int) -> TraceSlice?
}
