// Values that change by themselves: counters, waves, series and echoes.

import Bluetooth
import Signals
import SimulatedDevices
import Testing

@Suite("Behaviours")
struct BehaviourTests {
  func reads(_ behaviour: Behaviour, at milliseconds: [Int], seed: UInt64 = 0) throws -> [[UInt8]] {
    let bench = DeviceBench(CharacteristicDefinition(.read, behaviour), seed: seed)
    return try milliseconds.map { time in
      try bench.run(to: time)
      return try bench.read(12)
    }
  }

  @Test("a counter advances with time, whether or not it is read")
  func counter() throws {
    let counter = Counter(format: try format("u16"), from: 255, every: .seconds(10))
    let found = try reads(.counter(counter), at: [0, 9_999, 10_000, 35_000])
    #expect(found == [[255, 0], [255, 0], [0, 1], [2, 1]])
  }

  @Test("a counter restarts after its last value, or stays there")
  func lastValue() throws {
    var counter = Counter(format: try format("u8"), from: 2, to: 0, step: -1, every: .seconds(1))
    let times = [0, 1, 2, 3, 4].map { $0 * 1000 }
    #expect(try reads(.counter(counter), at: times) == [[2], [1], [0], [2], [1]])
    counter.repeats = false
    #expect(try reads(.counter(counter), at: times) == [[2], [1], [0], [0], [0]])
  }

  @Test(
    "a counter without a last value runs to the end of its format's range",
    arguments: [
      ("u8", 254, 1, [[254], [255], [254]]), ("i8", -127, -1, [[0x81], [0x80], [0x81]]),
      ("i16be", 32_766, 1, [[0x7f, 0xfe], [0x7f, 0xff], [0x7f, 0xfe]]),
    ] as [(String, Int64, Int64, [[UInt8]])]
  )
  func formatEnd(name: String, from: Int64, step: Int64, expected: [[UInt8]]) throws {
    let counter = Counter(format: try format(name), from: from, step: step)
    #expect(try reads(.counter(counter), at: [0, 0, 0]) == expected)
  }

  @Test(
    "a counter that wraps continues at the other end of its format's range",
    arguments: [
      ("u8", 254, 1, [[254], [255], [0]]), ("u8", 1, -2, [[1], [255], [253]]),
      ("i8", 126, 3, [[126], [0x81], [0x84]]), ("u16", 65_535, 1, [[255, 255], [0, 0], [1, 0]]),
      (
        "u64be", .max, 1,
        [[127] + [UInt8](repeating: 255, count: 7), [128] + [UInt8](repeating: 0, count: 7)]
      ),
      (
        "u64", 0, -1,
        [[UInt8](repeating: 0, count: 8), [UInt8](repeating: 255, count: 8)]
      ),
    ] as [(String, Int64, Int64, [[UInt8]])]
  )
  func wraps(name: String, from: Int64, step: Int64, expected: [[UInt8]]) throws {
    let counter = Counter(format: try format(name), from: from, step: step, wraps: true)
    #expect(try reads(.counter(counter), at: expected.map { _ in 0 }) == expected)
  }

  @Test("a counter can run through all 64 bits")
  func widest() throws {
    let counter = Counter(format: try format("i64"), from: .min, to: .max, step: .max)
    let found = try reads(.counter(counter), at: [0, 0, 0, 0])
    #expect(found.map { $0[7] } == [0x80, 0xff, 0x7f, 0x80])
  }

  @Test("a counter that stays at its last value stops notifying its subscriber")
  func counterEnds() throws {
    let counter = Counter(
      format: try format("u8"), from: 1, to: 2, every: .seconds(1), repeats: false
    )
    let bench = DeviceBench(CharacteristicDefinition(.notify, .counter(counter)))
    try bench.subscribe(12)
    #expect(throws: LoopIdle.self) { try bench.loop.drive { false } }
    #expect(bench.sent(on: 12) == [Sent(1000, [2])])
  }

  @Test("a series with a spread varies its times reproducibly and keeps the order of its values")
  func spread() throws {
    let series = Series(values: [[1], [2]], every: .seconds(1), everySpread: .milliseconds(300))
    let runs = try (0..<2).map { _ in
      let bench = DeviceBench(CharacteristicDefinition(.notify, .series(series)))
      try bench.subscribe(12)
      try bench.run(to: 20_000)
      return bench.sent(on: 12)
    }
    #expect(runs[0] == runs[1])
    let gaps = zip(runs[0].dropFirst(), runs[0]).map { $0.at - $1.at }
    #expect(gaps.allSatisfy { (700...1300).contains($0) } && Set(gaps).count > 10, "\(gaps)")
    #expect(runs[0].prefix(4).map(\.value) == [[1], [2], [1], [2]])
  }

  @Test("a wave swings from the middle to its high end and then to its low end")
  func wave() throws {
    let number = MovingNumber(format: .plain(try format("u8")), low: 50, high: 150)
    let wave = Wave(
      parts: [.octets([0xaa]), .number(number)], period: .seconds(20), every: .seconds(1)
    )
    let found = try reads(.wave(wave), at: [0, 5000, 10_000, 15_000, 15_999, 20_000])
    #expect(found.map { $0[0] } == Array(repeating: 0xaa, count: 6))
    #expect(found.map { $0[1] } == [100, 150, 100, 50, 50, 100])
  }

  @Test("all numbers of a wave move in step, and can have decimals")
  func together() throws {
    let u16 = NumberFormat.plain(try format("u16"))
    let wave = Wave(
      parts: [
        .number(MovingNumber(format: u16, low: 60, high: 120)),
        .number(MovingNumber(format: u16, low: 60, high: 120, dividend: 61_440)),
      ],
      period: .seconds(4), every: .seconds(1)
    )
    let found = try reads(.wave(wave), at: [1000, 3000])
    #expect(found == [[120, 0, 0, 2], [60, 0, 0, 4]])
  }

  @Test("a wave's noise depends only on the seed and the tick, and stays within bounds")
  func noise() throws {
    let number = MovingNumber(format: .plain(try format("u16")), low: 0, high: 60_000)
    let wave = Behaviour.wave(
      Wave(parts: [.number(number)], period: .seconds(10), every: .seconds(1), noise: 1)
    )
    let all = try reads(wave, at: Array(0..<100).map { $0 * 1000 })
    #expect(Set(all).count > 40, "without noise there would be at most 10 distinct values")
    #expect(all.allSatisfy { UInt16($0[1]) << 8 | UInt16($0[0]) <= 60_000 })
    #expect(try reads(wave, at: [7000, 7500]) == [all[7], all[7]])
    #expect(try reads(wave, at: [7000], seed: 1) != [all[7]])
  }

  @Test("a series plays from the beginning for each subscriber")
  func series() throws {
    let series = Series(values: [[1], [2], [3]], every: .seconds(1), repeats: false)
    let bench = DeviceBench(CharacteristicDefinition([.read, .notify], .series(series)))
    #expect(try bench.read(12) == [1])
    try bench.subscribe(12)
    try bench.run(to: 2500)
    #expect(try bench.read(12) == [2])
    try bench.subscribe(12, nil)
    try bench.subscribe(12)
    #expect(throws: LoopIdle.self) { try bench.loop.drive { false } }
    #expect(bench.sent(on: 12).map(\.value) == [[1], [2], [1], [2], [3]])
    #expect(try bench.read(12) == [3])
  }

  @Test("a series without a period returns its next value on each read")
  func seriesOfReads() throws {
    var series = Series(values: [[1], [2]])
    #expect(try reads(.series(series), at: [0, 0, 0]) == [[1], [2], [1]])
    series.repeats = false
    #expect(try reads(.series(series), at: [0, 0, 0]) == [[1], [2], [2]])
  }

  @Test("an echo is read back, and notified after the write returns")
  func echo() throws {
    let properties: CharacteristicProperties = [.read, .write, .writeWithoutResponse, .notify]
    let bench = DeviceBench(CharacteristicDefinition(properties, .echo))
    try bench.write(12, [1])
    #expect(try bench.read(12) == [1])
    try bench.run(to: 10)
    try bench.subscribe(12)
    try bench.device.write(12, [2], withResponse: false).get()
    #expect(bench.sent(on: 12).isEmpty)
    try bench.run(to: 11)
    #expect(bench.sent(on: 12) == [Sent(10, [2])])
  }
}
