// What waits for a slow reader: bounded, in order, and with every omission counted.

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

  private func put(
    _ octets: [UInt8],
    to descriptor: Int32 = 1,
    into queue: inout OutputQueue
  ) {
    let isPut = queue.put(octets, to: descriptor)
    #expect(isPut)
  }

  @Test("complete lines are written together, up to what a pipe takes in one piece")
  func portions() {
    var queue = OutputQueue()
    for character: Character in ["a", "b", "c"] {
      put(line(2000, character), into: &queue)
    }
    let first = queue.take()
    #expect(first?.octets == line(2000, "a") + line(2000, "b"))
    let early = queue.take()
    #expect(early == nil, "one portion at a time")
    queue.wrote(4000)
    let second = queue.take()
    #expect(second?.octets == line(2000, "c"))
    queue.wrote(2000)
    #expect(queue.isEmpty)
    let last = queue.take()
    #expect(last == nil)
  }

  @Test("what was written in part is resumed where it was left")
  func parts() {
    var queue = OutputQueue()
    put(line(5000), into: &queue)
    put(line(10, "y"), into: &queue)
    var written: [UInt8] = []
    while let portion = queue.take() {
      #expect(portion.octets.count <= 4096)
      let count = min(3000, portion.octets.count)
      written += portion.octets[..<count]
      queue.wrote(count)
    }
    #expect(written == line(5000) + line(10, "y"))
  }

  @Test("lines of two descriptors keep their order")
  func descriptors() {
    var queue = OutputQueue()
    for descriptor: Int32 in [1, 1, 2, 1] { put(line(10), to: descriptor, into: &queue) }
    var order: [Int32] = []
    while let portion = queue.take() {
      order.append(portion.descriptor)
      queue.wrote(portion.octets.count)
    }
    #expect(order == [1, 2, 1])
  }

  @Test("after a value without room none is admitted before half of the queue is written")
  func congestion() {
    var queue = OutputQueue(bound: 1000)
    for _ in 0..<10 {
      let isAdmitted = queue.admits(100)
      #expect(isAdmitted)
      put(line(100), into: &queue)
    }
    var admitted: [Bool] = [queue.admits(100)]
    for count in [400, 100] {
      _ = queue.take()
      queue.wrote(count)
      admitted.append(queue.admits(100))
    }
    #expect(admitted == [false, false, true])
  }

  @Test("lines that must not be dropped have a bound, too")
  func bound() {
    var queue = OutputQueue(bound: 1000)
    let long = line(1 << 20)
    for _ in 0..<32 { put(long, into: &queue) }
    let isPut = queue.put(line(1), to: 1)
    #expect(!isPut)
  }

  @Test("what waits for a descriptor that failed is dropped, and nothing else")
  func failure() {
    var queue = OutputQueue()
    for descriptor: Int32 in [1, 2] { put(line(10), to: descriptor, into: &queue) }
    _ = queue.take()
    queue.drop(1)
    let next = queue.take()
    #expect(next == OutputQueue.Portion(descriptor: 2, octets: line(10)))
  }

  // MARK: The bottom line

  private func show(_ text: String, in queue: inout OutputQueue) {
    _ = queue.show(Array(text.utf8), on: 2)
  }

  /// What the queue writes until nothing is left, each portion in the given parts.
  private func written(_ queue: inout OutputQueue, atMost count: Int = .max) -> String {
    var octets: [UInt8] = []
    while let portion = queue.take() {
      let part = portion.octets.prefix(count)
      octets += part
      queue.wrote(part.count)
    }
    #expect(queue.isEmpty)
    return String(decoding: octets, as: UTF8.self)
      .replacing("\r\u{1b}[K", with: "<gone>").replacing("\r", with: "<")
      .replacing("\u{1b}[K", with: ">").replacing("\n", with: "|")
  }

  @Test(
    "the bottom line makes place for lines, and is written anew below them",
    arguments: [1, 100]
  )
  func bottomLine(atOnce: Int) {
    var queue = OutputQueue()
    show("1 s", in: &queue)
    #expect(!queue.isEmpty)
    #expect(written(&queue, atMost: atOnce) == "<1 s>")
    put(line(4, "a"), to: 1, into: &queue)
    put(line(4, "b"), to: 2, into: &queue)
    #expect(written(&queue, atMost: atOnce) == "<gone>aaa|bbb|<1 s>")
    show("1 s", in: &queue)
    #expect(queue.isEmpty, "it is there already")
    show("", in: &queue)
    #expect(written(&queue, atMost: atOnce) == "<gone>")
    put(line(4, "c"), to: 1, into: &queue)
    #expect(written(&queue, atMost: atOnce) == "ccc|")
  }

  @Test("a terminal that is paused gets the last text of the bottom line, and none within a line")
  func pausedBottomLine() {
    var queue = OutputQueue()
    show("1 s", in: &queue)
    #expect(written(&queue) == "<1 s>")
    put(line(6000), into: &queue)
    let gone = queue.take()
    #expect(gone?.octets == Array("\r\u{1b}[K".utf8))
    queue.wrote(4)
    let first = queue.take()
    for second in 2...1000 { show("\(second) s", in: &queue) }
    queue.wrote(first?.octets.count ?? 0)
    #expect(written(&queue).hasSuffix("x|<1000 s>"))
  }

  @Test("the bottom line of a descriptor that failed is dropped")
  func failedBottomLine() {
    var queue = OutputQueue()
    show("1 s", in: &queue)
    _ = queue.take()
    queue.drop(2)
    #expect(queue.isEmpty)
    put(line(3), into: &queue)
    #expect(written(&queue) == "xx|")
  }

  // MARK: Omitted values

  private func value(_ step: ReportedStep, at milliseconds: Int, of device: String) -> RunEvent {
    RunEvent(
      run: RunIdentity(seed: 1, text: "chain", round: 1),
      device: device,
      attempt: 1,
      offset: .milliseconds(milliseconds),
      wallClock: .milliseconds(1000 + milliseconds),
      change: .value(step, StepValue(octets: [1], decoded: nil))
    )
  }

  @Test("omitted values are one gap for each step of each device, from the first to the last")
  func gaps() throws {
    let placed = StepPosition.place(
      try ["heart-rate-measurement", "battery-level"].map {
        Step(.notify(Listening(to: try CharacteristicSelector(parsing: $0))))
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
    let gaps = omitted.takeGaps()
    #expect(gaps.map(\.device) == ["A", "A", "B"])
    #expect(gaps.map(\.offset) == [.milliseconds(30), .milliseconds(11), .milliseconds(12)])
    guard case .gap(first, let gap)? = gaps.first?.change else {
      Issue.record("\(gaps)")
      return
    }
    #expect(gap.cause == .output(dropped: 3))
    #expect(gap.lasted == .milliseconds(20))
    let others = omitted.takeGaps()
    #expect(others.isEmpty)
    #expect(omitted.total == 5)
  }

  // MARK: A reader that pauses

  @Test("a reader that pauses misses values, counted by a gap at their place")
  func pause() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    let placed = StepPosition.place([
      Step(.notify(Listening(to: try CharacteristicSelector(parsing: "ff01"))))
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
    #expect(writer.waitUntilWritten(patience: { .seconds(30) }) == .done)
    for number in count / 2..<count {
      printed.receive(value(step, at: number, of: "A"))
      if number % 100 == 0 { _ = writer.waitUntilWritten { .seconds(30) } }
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
    // Nothing is missing but at the gap: the first value behind it is the one after the last dropped.
    let place = try #require(lines.firstIndex { $0.contains(#""event":"gap""#) })
    #expect(lines[place - 1].contains(#""event":"value""#))
    #expect(lines[place + 1].contains(#""offset":2.000000"#), "\(lines[place + 1])")
  }
}
