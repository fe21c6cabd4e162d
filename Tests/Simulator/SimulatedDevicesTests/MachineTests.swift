// State machines: their transitions, actions and timers.

import Bluetooth
import Signals
import Testing

@testable import SimulatedDevices

@Suite("State machines")
struct MachineTests {
  /// A device with a command, a state that is notified, a value, and one machine of these keys.
  func bench(_ machine: String) throws -> DeviceBench {
    let keys = DeviceText.keys([
      "characteristic: fff1, properties: [read, write, notify]",
      "characteristic: fff2, properties: [read, notify]",
      "characteristic: fff3, properties: [read, write, notify], value: { u8: 5 }",
    ])
    let lines = machine.split(separator: "\n").map { "  \($0)\n" }.joined()
    return DeviceBench(try DeviceText.device(keys + "machines:\n- machine: test\n" + lines))
  }

  func write(_ bench: DeviceBench, _ value: [UInt8]) throws -> ATTErrorCode? {
    bench.device.write(try bench.handle("fff1"), value, withResponse: true).error
  }

  @Test("writes lead from state to state; entering a state runs its actions, initially too")
  func states() throws {
    let bench = try bench(
      """
      states:
        off:
          enter: { notify: { u8: 0 }, on: fff2 }
          on: [{ write: fff1, when: { u8: 1 }, to: on }, { write: fff1, refuse: 0x80 }]
        on:
          enter: { notify: { u8: 1 }, on: fff2 }
          on: { write: fff1, when: { u8: 0 }, to: off }
      """
    )
    let state = try bench.handle("fff2")
    try bench.run(to: 1)
    #expect(try bench.read(state) == [0])
    try bench.subscribe(state)
    #expect(try write(bench, [0])?.rawValue == 0x80)
    #expect(try bench.read(bench.handle("fff1")) == [], "a refused write is not stored")
    #expect(try write(bench, [1]) == nil)
    #expect(try write(bench, [7]) == nil, "a write without a transition is stored")
    #expect(try bench.read(bench.handle("fff1")) == [7])
    #expect(try write(bench, [0]) == nil)
    try bench.run(to: 2)
    #expect(bench.sent(on: state).map(\.value) == [[1], [0]])
  }

  @Test("a read in the same instant returns the value notified by a transition or a state entry")
  func storesAtOnce() throws {
    let bench = try bench(
      """
      states:
        off:
          enter: { notify: { u8: 0 }, on: fff2 }
          on: { write: fff1, when: { u8: 1 }, do: { notify: { u8: 7 }, on: fff3 }, to: on }
        on:
          enter: { notify: { u8: 1 }, on: fff2 }
          on: { write: fff1, when: { u8: 2 }, to: off }
      """
    )
    let state = try bench.handle("fff2")
    #expect(try bench.read(state) == [0])
    #expect(try write(bench, [1]) == nil)
    #expect(try bench.read(state) == [1])
    #expect(try bench.read(bench.handle("fff3")) == [7])
    #expect(try write(bench, [2]) == nil)
    #expect(try bench.read(state) == [0])
  }

  @Test("a refused write is not stored, but a value stored on entering the next state is")
  func storesAfterRefusal() throws {
    let bench = try bench(
      """
      states:
        open: { on: { write: fff1, refuse: 0x80, to: locked } }
        locked: { enter: { notify: { u8: 9 }, on: fff1 } }
      """
    )
    #expect(try write(bench, [1])?.rawValue == 0x80)
    #expect(try bench.read(bench.handle("fff1")) == [9])
  }

  @Test("a state ends after its time unless it has ended before")
  func after() throws {
    let bench = try bench(
      """
      states:
        idle: { on: { write: fff1, when: { u8: 1 }, to: busy } }
        busy:
          on:
            - { after: 1s, do: { notify: { u8: 9 }, on: fff2 }, to: idle }
            - { write: fff1, when: { u8: 1 }, to: busy }
            - { write: fff1, when: { u8: 0 }, to: idle }
      """
    )
    let state = try bench.handle("fff2")
    try bench.subscribe(state)
    #expect(try write(bench, [1]) == nil)
    try bench.run(to: 900)
    #expect(try write(bench, [1]) == nil, "the state is entered again")
    try bench.run(to: 3000)
    #expect(try write(bench, [1]) == nil)
    #expect(try write(bench, [0]) == nil)
    try bench.run(to: 9000)
    #expect(bench.sent(on: state) == [Sent(1900, [9])])
    #expect(throws: LoopIdle.self) { try bench.loop.drive { false } }
  }

  @Test("repeated actions continue while the state lasts and their conditions hold")
  func every() throws {
    let bench = try bench(
      """
      variables: { count: 0 }
      states:
        idle: { on: { write: fff1, do: { let: { count: 0 } }, to: counting } }
        counting:
          on:
            - every: 100ms
              if: $count < 3
              do: [{ let: { count: $count + 1 } }, { notify: { u8: $count }, on: fff2 }]
            - { every: 250ms, if: $count = 3, to: idle }
      """
    )
    let state = try bench.handle("fff2")
    try bench.subscribe(state)
    #expect(try write(bench, [1]) == nil)
    try bench.run(to: 2000)
    #expect(bench.sent(on: state) == [Sent(100, [1]), Sent(200, [2]), Sent(300, [3])])
    #expect(throws: LoopIdle.self) { try bench.loop.drive { false } }
  }

  @Test(
    "a name of the written characteristic has the written value, and after a refusal the one before"
  )
  func writtenView() throws {
    let bench = try bench(
      """
      with: { now: { of: fff1, as: u8 } }
      states:
        low:
          enter: { set: { u8: $now }, on: fff2 }
          on:
            - { write: fff1, if: $now > 100, refuse: 0x80, to: low }
            - { write: fff1, if: $now > 50, to: low }
            - { write: fff1, do: { set: { u8: $now + 1 }, on: fff2 } }
      """
    )
    let copy = try bench.handle("fff2")
    try bench.run(to: 1)
    for (value, expected) in [(9, 10), (60, 60), (200, 60), (7, 8)] as [(UInt8, UInt8)] {
      #expect(try write(bench, [value])?.rawValue == (value > 100 ? 0x80 : nil))
      #expect(try bench.read(copy) == [expected], "\(value)")
    }
    #expect(bench.device.setValue([20], at: try bench.handle("fff1")))
    #expect(try bench.read(copy) == [8], "no machine handles a set value")
  }

  @Test("sent values can combine variables, patterns, tables and other values")
  func values() throws {
    let bench = try bench(
      """
      with: { other: { of: fff3, as: u8 } }
      variables: { sum: 0, crc: 0, log: { hex: "" } }
      tables: { rows: [{ u8: 10 }, { u8: 20 }] }
      states:
        only:
          on:
            - write: fff1
              when-like: "01 <row:u8> <rest:*>"
              if: [$row < $rows.count, $rest.count != 0]
              do:
                - { let: { sum: $sum + $row + 1 }, }
                - { let: { log: [{ octets: $log }, { octets: $rest }] } }
                - { crc32: { crc: $rest } }
                - notify: [{ row: rows, at: $row }, { u8: $sum }, { u8: $other }, { octets: $log },
                    { u32be: $crc }, { decimal: $mtu }]
                  on: fff2
            - { write: fff1, when-like: "02", do: { let: { log: [{ u8: $sum }, { hex: ff }], sum: 0 } } }
            - { write: fff1, do: { notify: [{ octets: $log }, { octets: $written }], on: fff2 } }
      """
    )
    let state = try bench.handle("fff2")
    try bench.subscribe(state)
    for value: [UInt8] in [[1, 1, 0x31, 0x32], [1, 0, 0x33], [1, 2, 9], [2], [3, 4]] {
      #expect(try write(bench, value) == nil)
    }
    try bench.write(try bench.handle("fff3"), [6])
    #expect(try write(bench, [1, 0, 0x34]) == nil)
    try bench.run(to: 1)
    // zlib's crc32 of "12", "123" and "1234".
    let mtu = Array("517".utf8)
    #expect(
      bench.sent(on: state).map(\.value) == [
        [20, 2, 5, 0x31, 0x32, 0x4f, 0x53, 0x44, 0xcd] + mtu,
        [10, 3, 5, 0x31, 0x32, 0x33, 0x88, 0x48, 0x63, 0xd2] + mtu,
        [0x31, 0x32, 0x33, 1, 2, 9], [3, 0xff, 3, 4],
        [10, 1, 6, 3, 0xff, 0x34, 0x9b, 0xe3, 0xe0, 0xa3] + mtu,
      ]
    )
  }

  @Test("reads, subscriptions and the end of the connection trigger transitions too")
  func events() throws {
    let bench = try bench(
      """
      variables: { reads: 0, links: 0 }
      states:
        only:
          on:
            - { read: fff3, if: $reads = 2, refuse: 0x81 }
            - read: fff3
              do: [{ let: { reads: $reads + 1 } }, { set: [{ u8: $reads }, { u8: $links }], on: fff3 }]
            - { subscribe: fff2, do: { notify: { hex: aa }, on: fff2 } }
            - { unsubscribe: fff2, do: { set: { hex: bb }, on: fff1 } }
            - { link: down, do: { let: { links: $links + 10 } } }
      """
    )
    let (state, value) = (try bench.handle("fff2"), try bench.handle("fff3"))
    try bench.subscribe(state)
    try bench.run(to: 1)
    #expect(bench.sent(on: state).map(\.value) == [[0xaa]])
    try bench.subscribe(state, nil)
    #expect(try bench.read(bench.handle("fff1")) == [0xbb])
    #expect(try bench.read(value) == [1, 0])
    bench.device.linkDown()
    bench.device.linkUp()
    #expect(try bench.read(value) == [2, 10])
    #expect(bench.device.read(value) == .failure(ATTErrorCode(rawValue: 0x81)))
  }

  @Test("a state has one timer per timed transition; all of them end with the state")
  func timers() throws {
    let bench = try bench(
      """
      states:
        idle:
          on:
            - { every: 1s, do: { notify: { u8: 1 }, on: fff2 } }
            - { every: 1500ms, do: { notify: { u8: 2 }, on: fff2 } }
            - { after: 2500ms, do: { notify: { u8: 3 }, on: fff2 } }
            - { after: 4500ms, to: last }
        last: { on: { after: 1s, do: { notify: { u8: 4 }, on: fff2 } } }
      always: [ { every: 2200ms, do: { notify: { u8: 9 }, on: fff2 } } ]
      """
    )
    let state = try bench.handle("fff2")
    try bench.subscribe(state)
    try bench.run(to: 8000)
    let sent = bench.sent(on: state).map { $0.value[0] }
    // At 3 s the 1.5 s timer was set before the 1 s timer; the every-state timer restarts at 4.5 s.
    #expect(sent == [1, 2, 1, 9, 3, 2, 1, 1, 9, 4, 9], "\(sent)")
  }

  @Test("timers continue without a connection; values for that connection are not sent")
  func lostLink() throws {
    let bench = try bench(
      """
      states:
        idle: { on: { write: fff1, to: moving } }
        moving:
          on:
            - after: 1s
              do: [{ set: { u8: 1 }, on: fff3 }, { set: { u8: 2 }, on: fff2, after: 100ms }]
              to: idle
      """
    )
    #expect(try write(bench, [1]) == nil)
    bench.device.linkDown()
    try bench.run(to: 1050)
    #expect(try bench.read(bench.handle("fff3")) == [1])
    bench.device.linkUp()
    bench.device.linkDown()
    try bench.run(to: 2000)
    #expect(try bench.read(bench.handle("fff2")) == [])
  }

  @Test("a device can drop its link, or disappear for a while and restart")
  func presence() throws {
    let bench = try bench(
      """
      variables: { count: 7 }
      states:
        idle:
          enter: { set: { u8: $count }, on: fff3 }
          on:
            - { write: fff1, when: { u8: 1 }, do: { disconnect: 20ms } }
            - { write: fff1, when: { u8: 2 }, do: [{ let: { count: 8 } }, { restart: 5s }], to: other }
        other:
          enter: { set: { u8: $count }, on: fff3 }
      """
    )
    let seen = Guarded<[String]>([])
    let loop = bench.loop
    bench.device.onPresence { presence in
      let time = Int(loop.now.sinceStart / .milliseconds(1))
      seen.withLock { $0.append("\(time) \(presence)") }
    }
    let value = try bench.handle("fff3")
    #expect(try write(bench, [1]) == nil)
    try bench.run(to: 100)
    #expect(try write(bench, [2]) == nil)
    #expect(try bench.read(value) == [8])
    try bench.run(to: 10_000)
    #expect(seen.withLock { $0 } == ["20 endsLink", "100 leaves", "5100 comesBack"])
    #expect(try bench.read(value) == [7])
    #expect(try write(bench, [2]) == nil, "it is in its first state again")
    #expect(try bench.read(value) == [8])
  }
}
