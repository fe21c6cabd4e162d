// Which events a slow browser still receives: a bounded queue in which the newest win.
//
// A pure state machine: events in, bytes of `text/event-stream` out. It knows no connection and no
// clock.

/// The events of one browser between arrival and sending.
struct EventQueue {
  /// What a call of ``take(into:)`` came to.
  enum Taken: Equatable {
    /// That many bytes were written.
    case bytes(Int)
    /// Nothing to send now.
    case nothing
    /// Nothing will come any more.
    case end
  }

  private let bound: Int
  private let byteBound: Int
  private var waiting: [[UInt8]] = []
  private var head = 0
  private var waitingBytes = 0
  /// Dropped since the browser was last notified.
  private var unreported = 0
  /// What has begun to be sent, and how much of it was.
  private var present: [UInt8]
  private var sent = 0
  /// How many events were dropped in all.
  private(set) var missed = 0
  /// No event is taken in any more.
  private(set) var isClosed = false
  /// Nothing is sent any more.
  private(set) var isOver = false

  init(bound: Int, bytes: Int) {
    precondition(bound > 0 && bytes > 0, "a queue holds at least one event")
    self.bound = bound
    byteBound = bytes
    // A browser that lost its connection comes back after 2 s.
    present = Array("retry: 2000\n\n".utf8)
  }

  /// Takes an event in; false when it is ignored because the queue is closed.
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
    // The room of what was dropped or sent is used again.
    if head >= max(64, waiting.count / 2) {
      waiting.removeFirst(head)
      head = 0
    }
    return true
  }

  /// Writes as much as there is and fits.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) -> Taken {
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

  /// Has a comment sent when nothing else is there to be sent.
  mutating func beat() {
    guard !isClosed, sent == present.count, isEmpty else { return }
    present = Array(":\n\n".utf8)
    sent = 0
  }

  /// Takes no more events in; what waits is still sent.
  mutating func close() { isClosed = true }

  /// Sends nothing any more.
  mutating func end() {
    isClosed = true
    isOver = true
    forgetWaiting()
  }

  private var isEmpty: Bool { waiting.count == head && unreported == 0 }

  /// Makes the next text the present one; false when there is none.
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

  /// The event as the stream has it. Source: HTML Living Standard, §9.2.6.
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
