// The shipped devices with dialogues: lock, console, firmware update, glucose records, tag, speaker.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("Dialogues of shipped devices")
struct DialogueTests {
  func bench(_ name: String) throws -> DeviceBench {
    DeviceBench(try ShippedDeviceTests().definition(name + ".yaml"))
  }

  // MARK: Lock

  @Test("the lock opens, rejects rapid retries, and locks itself again, with or without a link")
  func lock() throws {
    let bench = try bench("lock")
    bench.device.secure(.authenticated)
    let state = try bench.handle("4c6f0002-1b1a-4e1c-8f6b-0b6c1d2e3f40")
    let command = try bench.handle("4c6f0003-1b1a-4e1c-8f6b-0b6c1d2e3f40")
    try bench.subscribe(state)
    try bench.write(command, [0])
    let hurried = bench.device.write(command, [0], withResponse: true)
    #expect(hurried.error == .procedureAlreadyInProgress)
    #expect(bench.device.write(command, [2], withResponse: true).error == .valueNotAllowed)
    try bench.run(to: 1000)
    #expect(bench.sent(on: state) == [Sent(300, [0])])
    bench.device.linkDown()
    try bench.run(to: 40_000)
    bench.device.linkUp()
    bench.device.secure(.authenticated)
    #expect(try bench.read(state) == [1])
  }

  // MARK: Console

  @Test("the console answers commands with its own state and the battery's")
  func console() throws {
    let bench = try bench("uart")
    let (input, output) = (try bench.handle("nordic-uart-rx"), try bench.handle("nordic-uart-tx"))
    try bench.subscribe(output)
    for (index, command) in ["led?", "led off", "led on", "led?", "battery?", "echo hi", "x"]
      .enumerated()
    {
      try bench.run(to: 1000 + index * 100)
      try bench.write(input, Array(command.utf8))
    }
    try bench.run(to: 9000)
    let answers = bench.sent(on: output).map { String(decoding: $0.value, as: UTF8.self) }
    #expect(
      answers == ["led 0\n", "OK\n", "OK\n", "led 1\n", "battery 100%\n", "hi", "line 7: what?\n"]
    )
  }

  // MARK: Glucose

  /// The meter's messages for a request: sequence numbers, and the last answer.
  func records(
    _ bench: DeviceBench, _ request: [UInt8]
  ) throws -> (sequences: [UInt8], answer: [UInt8]) {
    let (record, control) = (
      try bench.handle("glucose-measurement"), try bench.handle("record-access-control-point")
    )
    let seen = (bench.sent(on: record).count, bench.sent(on: control).count)
    try bench.write(control, request)
    let now = Int(bench.loop.now.sinceStart / .milliseconds(1))
    try bench.run(to: now + 2000)
    let answers = bench.sent(on: control).dropFirst(seen.1)
    #expect(answers.count == 1, "\(request)")
    return (bench.sent(on: record).dropFirst(seen.0).map { $0.value[1] }, answers.last?.value ?? [])
  }

  @Test("glucose records are reported as the record access procedures require")
  func glucose() throws {
    let bench = try bench("glucose")
    try bench.subscribe(try bench.handle("glucose-measurement"))
    try bench.subscribe(try bench.handle("record-access-control-point"), .indication)
    let success: [UInt8] = [6, 0, 1, 1]
    let cases: [(request: [UInt8], sequences: [UInt8], answer: [UInt8])] = [
      ([1, 1], Array(1...12), success), ([1, 5], [1], success), ([1, 6], [12], success),
      ([1, 2, 1, 3, 0], [1, 2, 3], success), ([1, 3, 1, 11, 0], [11, 12], success),
      ([1, 4, 1, 4, 0, 6, 0], [4, 5, 6], success), ([1, 4, 1, 6, 0, 4, 0], [], [6, 0, 1, 5]),
      ([1, 3, 1, 13, 0], [], [6, 0, 1, 6]), ([4, 1], [], [5, 0, 12, 0]),
      ([4, 3, 1, 3, 0], [], [5, 0, 10, 0]), ([3, 0], [], [6, 0, 3, 7]), ([9], [], [6, 0, 9, 2]),
      ([2, 1], [], [6, 0, 2, 1]), ([1, 1], [], [6, 0, 1, 6]), ([4, 1], [], [5, 0, 0, 0]),
    ]
    for (request, sequences, answer) in cases {
      let found = try records(bench, request)
      #expect(found.sequences == sequences, "\(request)")
      #expect(found.answer == answer, "\(request)")
    }
  }

  @Test("a glucose report can be aborted, blocks other requests meanwhile, and ends with the link")
  func glucoseAborted() throws {
    let bench = try bench("glucose")
    let (record, control) = (
      try bench.handle("glucose-measurement"), try bench.handle("record-access-control-point")
    )
    try bench.subscribe(record)
    try bench.subscribe(control, .indication)
    try bench.write(control, [1, 1])
    let second = bench.device.write(control, [4, 1], withResponse: true)
    #expect(second.error == .procedureAlreadyInProgress)
    try bench.run(to: 100)
    try bench.write(control, [3, 0])
    try bench.run(to: 1000)
    #expect(bench.sent(on: record).count == 3)
    #expect(bench.sent(on: control).map(\.value) == [[6, 0, 3, 1]])
    try bench.write(control, [1, 1])
    bench.device.linkDown()
    bench.device.linkUp()
    try bench.subscribe(record)
    try bench.run(to: 3000)
    #expect(bench.sent(on: record).count == 3)
  }

  // MARK: Tag and speaker

  @Test("the tag rings until it is switched off, chimes for two seconds, and has its own alarm")
  func tag() throws {
    let bench = try bench("tag")
    let (alert, state) = (
      try bench.handle("alert-level"), try bench.handle("74610002-1b1a-4e1c-8f6b-0b6c1d2e3f40")
    )
    try bench.subscribe(state)
    func ring(_ level: UInt8, at time: Int) throws {
      try bench.run(to: time)
      try bench.device.write(alert, [level], withResponse: false).get()
    }
    try ring(1, at: 1000)
    try ring(2, at: 5000)
    try ring(0, at: 60_000)
    try bench.run(to: 70_000)
    let sent = bench.sent(on: state)
    #expect(
      sent == [Sent(0, [0]), Sent(1000, [1]), Sent(3000, [0]), Sent(5000, [2]), Sent(60_000, [0])]
    )
    #expect(abs(bench.device.linkRSSI() - -88) <= 3, "70 s: it is far away")
  }

  @Test("the speaker notifies when it is nearly full, has room, has dropped data and has finished")
  func speaker() throws {
    let bench = try bench("thingy")
    let (data, status) = (
      try bench.handle("thingy-speaker-data"), try bench.handle("thingy-speaker-status")
    )
    try bench.subscribe(status)
    for _ in 0..<9 {
      try bench.device.write(data, Array(repeating: 1, count: 240), withResponse: false).get()
    }
    try bench.run(to: 1000)
    #expect(bench.sent(on: status).map(\.value) == [[1], [0x10], [2], [0]])
  }
}
