// Output waiting for a slow reader: bounded, in order, and with every omission counted.

import Bluetooth
import Foundation
import Glibc
import Jobs
import Signals
import Testing

@testable import Program

@Suite("The output queue")
struct OutputQueueTests {
  private func line(_ count: Int, _ character: Character = "x") -> [UInt8] {
    Array(String(repeating: character, count: count - 1).utf8) + [UInt8(ascii: "\n")]
  }

  private func put(_ octets: [UInt8], into queue: inout OutputQueue) {
    let admission = queue.put(octets)
    #expect(admission == .waits)
  }

  @Test("complete lines are written together, up to the size that a pipe accepts atomically")
  func portions() {
    var queue = OutputQueue()
    for character: Character in ["a", "b", "c"] {
      put(line(2000, character), into: &queue)
    }
    let first = queue.next()
    #expect(first == line(2000, "a") + line(2000, "b"))
    queue.wrote(4000)
    let second = queue.next()
    #expect(second == line(2000, "c"))
    queue.wrote(2000)
    #expect(queue.isEmpty)
    let last = queue.next()
    #expect(last == nil)
  }

  @Test("a partial write is resumed where it stopped")
  func parts() {
    var queue = OutputQueue()
    put(line(5000), into: &queue)
    put(line(10, "y"), into: &queue)
    var written: [UInt8] = []
    while let portion = queue.next() {
      #expect(portion.count <= 4096)
      let count = min(3000, portion.count)
      written += portion[..<count]
      queue.wrote(count)
    }
    #expect(written == line(5000) + line(10, "y"))
    #expect(queue.count == 0)
  }

  @Test("after a value was dropped, values are accepted again once half the queue is written")
  func congestion() {
    var queue = OutputQueue(bound: 1000)
    var admissions = (1...11).map { _ in queue.put(line(100), isDroppable: true) }
    for count in [400, 100] {
      _ = queue.next()
      queue.wrote(count)
      admissions.append(queue.put(line(100), isDroppable: true))
    }
    let waits = [OutputQueue.Admission](repeating: .waits, count: 10)
    #expect(admissions == waits + [.dropped, .dropped, .waits])
    #expect(queue.dropped == OutputQueue.Dropped(values: 2))
  }

  @Test("lines that must not be dropped are limited, too")
  func bound() {
    var queue = OutputQueue(bound: 1000)
    let long = line(1 << 20)
    for _ in 0..<32 { put(long, into: &queue) }
    let admission = queue.put(line(1))
    #expect(admission == .overflow)
  }

  @Test("output waiting for a failed descriptor is dropped and counted")
  func failure() {
    var queue = OutputQueue()
    for isDroppable in [true, false, true] { _ = queue.put(line(2000), isDroppable: isDroppable) }
    put(line(3) + line(4), into: &queue)
    _ = queue.next()
    // The second line is incomplete.
    queue.wrote(3000)
    queue.dropAll()
    #expect(queue.isEmpty && queue.count == 0)
    #expect(queue.dropped == OutputQueue.Dropped(values: 2, lines: 3))
  }

  // MARK: The bottom line

  private func show(_ text: String, in queue: inout OutputQueue) {
    queue.show(Array(text.utf8))
  }

  /// Returns the text that the queue writes until it is empty, each portion in parts of at most `count` bytes.
  private func written(_ queue: inout OutputQueue, atMost count: Int = .max) -> String {
    var octets: [UInt8] = []
    while let portion = queue.next() {
      let part = portion.prefix(count)
      octets += part
      queue.wrote(part.count)
    }
    #expect(queue.isEmpty)
    return String(decoding: octets, as: UTF8.self)
      .replacing("\r\u{1b}[K", with: "<gone>").replacing("\r", with: "<")
      .replacing("\u{1b}[K", with: ">").replacing("\n", with: "|")
  }

  @Test(
    "the bottom line is cleared for other lines and written again below them", arguments: [1, 100]
  )
  func bottomLine(atOnce: Int) {
    var queue = OutputQueue()
    show("1 s", in: &queue)
    #expect(!queue.isEmpty)
    #expect(written(&queue, atMost: atOnce) == "<1 s>")
    put(line(4, "a"), into: &queue)
    put(line(4, "b"), into: &queue)
    #expect(written(&queue, atMost: atOnce) == "<gone>aaa|bbb|<1 s>")
    show("1 s", in: &queue)
    #expect(queue.isEmpty, "the bottom line is shown already")
    show("", in: &queue)
    #expect(written(&queue, atMost: atOnce) == "<gone>")
    put(line(4, "c"), into: &queue)
    #expect(written(&queue, atMost: atOnce) == "ccc|")
  }

  @Test("a paused terminal gets only the latest bottom line, and never in the middle of a line")
  func pausedBottomLine() {
    var queue = OutputQueue()
    show("1 s", in: &queue)
    #expect(written(&queue) == "<1 s>")
    put(line(6000), into: &queue)
    let gone = queue.next()
    #expect(gone == Array("\r\u{1b}[K".utf8))
    queue.wrote(4)
    let first = queue.next()
    for second in 2...1000 { show("\(second) s", in: &queue) }
    queue.wrote(first?.count ?? 0)
    #expect(written(&queue).hasSuffix("x|<1000 s>"))
  }

  @Test("the bottom line of a descriptor that failed is dropped")
  func failedBottomLine() {
    var queue = OutputQueue()
    show("1 s", in: &queue)
    _ = queue.next()
    queue.dropAll()
    #expect(queue.isEmpty)
    put(line(3), into: &queue)
    #expect(written(&queue) == "xx|")
  }

  // MARK: Omitted values

  private func value(_ step: ReportedStep, at milliseconds: Int, of device: String) -> RunEvent {
    RunEvent(
      run: RunIdentity(seed: 1, text: "chain", round: 1), device: device, attempt: 1,
      offset: .milliseconds(milliseconds), wallClock: .milliseconds(1000 + milliseconds),
      change: .data(step, .value(StepValue(octets: [1], decoded: nil)))
    )
  }

  @Test("omitted values are one gap for each step of each device, from the first to the last")
  func gaps() throws {
    let placed = StepPosition.place(
      try ["heart-rate-measurement", "battery-level"].map {
        Step(.notify(NotifyStep(to: try CharacteristicSelector(parsing: $0))))
      }
    )
    let (first, second) = (placed[0].reported, placed[1].reported)
    var omitted = OmittedValues()
    for (step, time, device) in [
      (first, 10, "A"), (second, 11, "A"), (first, 12, "B"), (first, 20, "A"), (first, 30, "A"),
    ] {
      let event = value(step, at: time, of: device)
      #expect(event.stepOfStream == step)
      omitted.add(event, of: step)
    }
    let gaps = omitted.gaps
    #expect(gaps.map(\.device) == ["A", "A", "B"])
    #expect(gaps.map(\.offset) == [.milliseconds(30), .milliseconds(11), .milliseconds(12)])
    guard case .data(first, .gap(let gap))? = gaps.first?.change else {
      Issue.record("\(gaps)")
      return
    }
    #expect(gap.cause == .output(dropped: 3))
    #expect(gap.lasted == .milliseconds(20))
  }

  // MARK: A reader that pauses

  @Test(
    "a pipe or terminal that is not read does not block other output of the same thread",
    arguments: [false, true]
  )
  func others(isTerminal: Bool) throws {
    var (stopped, read): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
    if isTerminal {
      // TIOCSPTLCK and TIOCGPTN of ioctl_tty(2).
      stopped[0] = open("/dev/ptmx", O_RDWR | O_NOCTTY)
      var (lock, number): (Int32, Int32) = (0, 0)
      #expect(ioctl(stopped[0], 0x4004_5431, &lock) == 0)
      #expect(ioctl(stopped[0], 0x8004_5430, &number) == 0)
      stopped[1] = open("/dev/pts/\(number)", O_WRONLY | O_NOCTTY)
      #expect(isatty(stopped[1]) == 1)
    } else {
      #expect(pipe(&stopped) == 0)
    }
    #expect(pipe(&read) == 0)
    defer { for descriptor in stopped + read { close(descriptor) } }
    let writer = OutputWriter(bound: 1 << 16)
    let text = String(repeating: "x", count: 1 << 20)
    _ = writer.put(to: stopped[1]) { Written.line(text) }
    for number in 1...3 { _ = writer.put(to: read[1]) { Written.line("\(number)") } }
    #expect(writer.wait(for: read[1], until: { $0.isEmpty }, patience: { .seconds(30) }))
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = Glibc.read(read[0], &buffer, buffer.count)
    #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "1\n2\n3\n")
    #expect(!writer.wait(for: stopped[1], until: { $0.isEmpty }, patience: { .zero }))
    writer.fail(stopped[1], .notRead)
    let failure = writer.failure(of: stopped[1])
    #expect(failure?.description.hasSuffix("does not read; dropped 1 line") == true)
  }

  @Test("a slow reader misses values, and a gap at their place counts them")
  func pause() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    let placed = StepPosition.place([
      Step(.notify(NotifyStep(to: try CharacteristicSelector(parsing: "ff01"))))
    ])
    let step = placed[0].reported
    let writer = OutputWriter(bound: 1 << 16)
    let output = StandardOutput(.ofEvents, to: writing, through: writer)
    let printed = EventOutput(output, as: JSONLinesReport(), isForPeople: false)
    let count = 4000
    for number in 0..<count / 2 { printed.receive(value(step, at: number, of: "A")) }
    // The reader goes on.
    let text = Guarded("")
    let thread = Thread {
      var octets: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let length = read(reading, &buffer, buffer.count)
        if length <= 0 { break }
        octets += buffer[..<length]
      }
      text.withLock { $0 = String(decoding: octets, as: UTF8.self) + "end" }
    }
    thread.start()
    writer.flush(patience: .seconds(30))
    for number in count / 2..<count {
      printed.receive(value(step, at: number, of: "A"))
      if number % 100 == 0 { writer.flush(patience: .seconds(30)) }
    }
    #expect(printed.finish() == nil)
    close(writing)
    while !text.withLock({ $0.hasSuffix("end") }) { poll(nil, 0, 5) }
    let lines = text.withLock { $0 }.split(separator: "\n").dropLast()
    let gaps = lines.filter { $0.contains(#""event":"gap""#) }
    #expect(gaps.count == 1, "\(gaps)")
    #expect(gaps.first?.contains(#""cause":"output""#) == true)
    let dropped = gaps.first?.split(separator: #""dropped":"#).last.flatMap { number in
      Int(number.prefix { $0.isNumber })
    }
    #expect(lines.count - gaps.count + (dropped ?? 0) == count)
    // Values are missing only at the gap: it is followed by the first value after the last drop.
    let place = try #require(lines.firstIndex { $0.contains(#""event":"gap""#) })
    #expect(lines[place - 1].contains(#""event":"value""#))
    #expect(lines[place + 1].contains(#""offset":2.000000"#), "\(lines[place + 1])")
  }
}
