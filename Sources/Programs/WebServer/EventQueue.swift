// The bounded queue of events for one browser. If the browser is slow, the oldest events are dropped.
//
// A pure state machine: events in, bytes of `text/event-stream` out. It knows no connection and no
// clock.

/// The events that one browser has not received yet.
struct EventQueue {
  /// The result of ``read(into:)``.
  enum ReadResult: Equatable {
    /// This many bytes were written to the buffer.
    case bytes(Int)
    /// There is nothing to send now.
    case nothing
    /// The stream has ended.
    case end
  }

  private let bound: Int
  private let byteBound: Int
  private var waiting: [[UInt8]] = []
  private var head = 0
  private var waitingBytes = 0
  /// The number of events dropped since the browser was last told.
  private var unreported = 0
  /// The text being sent, of which `sent` bytes are sent.
  private var present: [UInt8]
  private var sent = 0
  /// The number of events dropped since the beginning.
  private(set) var missed = 0
  /// Whether further events are ignored.
  private(set) var isClosed = false
  /// Whether nothing is sent any more.
  private(set) var isOver = false

  init(bound: Int, bytes: Int) {
    precondition(bound > 0 && bytes > 0, "a queue holds at least one event")
    self.bound = bound
    byteBound = bytes
    // Tell the browser to reconnect 2 s after losing its connection.
    present = Array("retry: 2000\n\n".utf8)
  }

  /// Appends an event. Returns false if the queue is closed.
  mutating func push(_ event: ServerEvent) -> Bool {
    guard !isClosed else { return false }
    let text = Self.text(of: event)
    guard text.count <= byteBound else {
      countMissed(1 + waiting.count - head)
      forgetWaiting()
      return true
    }
    waiting.append(text)
    waitingBytes += text.count
    while waiting.count - head > bound || waitingBytes > byteBound {
      waitingBytes -= waiting[head].count
      waiting[head] = []
      head += 1
      countMissed(1)
    }
    // Reuse the space of dropped and sent events.
    if head >= max(64, waiting.count / 2) {
      waiting.removeFirst(head)
      head = 0
    }
    return true
  }

  /// Writes as much to the buffer as is waiting and fits.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
    guard !isOver else { return .end }
    var count = 0
    while count < buffer.count {
      if sent == present.count, !advance() { break }
      let piece = min(buffer.count - count, present.count - sent)
      buffer[count..<count + piece].copyBytes(from: present[sent..<sent + piece])
      count += piece
      sent += piece
    }
    if count > 0 { return .bytes(count) }
    return isClosed && sent == present.count && isEmpty ? .end : .nothing
  }

  /// Queues a comment as a heartbeat, unless something else is waiting.
  mutating func beat() {
    guard !isClosed, sent == present.count, isEmpty else { return }
    present = Array(":\n\n".utf8)
    sent = 0
  }

  /// Ignores further events. Waiting ones are still sent.
  mutating func close() { isClosed = true }

  /// Drops all waiting events and ends the stream.
  mutating func end() {
    isClosed = true
    isOver = true
    forgetWaiting()
  }

  private var isEmpty: Bool { waiting.count == head && unreported == 0 }

  /// Begins the next text. Returns false if there is none.
  private mutating func advance() -> Bool {
    if unreported > 0 {
      present = Self.text(of: ServerEvent("missed", data: "{\"events\":\(unreported)}"))
      unreported = 0
    } else if head < waiting.count {
      present = waiting[head]
      waitingBytes -= present.count
      waiting[head] = []
      head += 1
      if head == waiting.count { forgetWaiting() }
    } else {
      return false
    }
    sent = 0
    return true
  }

  private mutating func countMissed(_ count: Int) {
    missed += count
    unreported += count
  }

  private mutating func forgetWaiting() {
    waiting.removeAll(keepingCapacity: true)
    head = 0
    waitingBytes = 0
  }

  /// Formats an event for the stream. Source: HTML Living Standard, §9.2.6.
  private static func text(of event: ServerEvent) -> [UInt8] {
    let lineFeed = UInt8(ascii: "\n")
    let isBreak = { (byte: UInt8) in byte == lineFeed || byte == UInt8(ascii: "\r") }
    var text = Array("event: ".utf8)
    text += event.name.utf8.filter { !isBreak($0) }
    let data = Array(event.data.utf8)
    var start = 0
    while true {
      let end = data[start...].firstIndex(where: isBreak) ?? data.count
      text += "\ndata: ".utf8
      text += data[start..<end]
      guard end < data.count else { break }
      let isPair = data[end] != lineFeed && end + 1 < data.count && data[end + 1] == lineFeed
      start = end + (isPair ? 2 : 1)
    }
    text += [lineFeed, lineFeed]
    return text
  }
}
