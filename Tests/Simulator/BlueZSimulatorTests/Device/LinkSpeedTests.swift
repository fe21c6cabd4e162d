// Notifications, commands and requests over a link with a speed.

import BlueZSimulator
import Bluetooth
import DBus
import Glibc
import Signals
import SimulatedDevices
import Testing

@Suite("The speed of a link")
struct LinkSpeedTests {
  private func lab(_ change: (inout DeviceDefinition) -> Void = { _ in }) throws -> Lab {
    let device = DeviceDefinition.monitor.changing { device in
      device.link.speed = LinkSpeed(interval: .milliseconds(100), packets: 2)
      change(&device)
    }
    return try Lab.connected([device])
  }

  @Test("commands are sent in connection events, and a request waits behind them")
  func commands() throws {
    let lab = try lab()
    let answer = try lab.client.call("AcquireWrite", .echo, .noOptions).get()
    let socket = try #require(answer.first?.asUnixFD)
    try lab.pass(.milliseconds(200))
    lab.forgetEvents()
    for number in 0..<5 as Range<UInt8> {
      #expect(send(socket.descriptor, [number], 1, 0) == 1)
    }
    let begin = lab.loop.now.sinceStart
    var times: [Duration] = []
    for time in 0..<500 {
      // The commands have been received by then.
      if time == 1 { try lab.client.begin("ReadValue", .echo, .noOptions) }
      try lab.pass()
      let now = lab.loop.now.sinceStart
      times += [Duration](repeating: now, count: lab.events.count - times.count)
    }
    #expect(
      lab.events
        == (0..<5).map { .written(.monitor, .own(1), [$0]) } + [.read(.monitor, .own(1))]
    )
    // The first two are sent at once, and seen at the end of that millisecond.
    #expect(times.map { ($0 - begin) / .milliseconds(1) } == [1, 1, 100, 100, 200, 215])
  }

  @Test("commands that wait are lost with the connection, also when the next one is up soon")
  func lostCommands() throws {
    let lab = try lab()
    let answer = try lab.client.call("AcquireWrite", .echo, .noOptions).get()
    let socket = try #require(answer.first?.asUnixFD)
    // They take 3 s.
    for number in 0..<60 as Range<UInt8> {
      #expect(send(socket.descriptor, [number], 1, 0) == 1)
    }
    try lab.pass(.milliseconds(500))
    #expect(lab.events.contains { if case .written = $0 { true } else { false } })
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    lab.forgetEvents()
    try lab.client.call("Connect", .device)
    try lab.pass(.seconds(4))
    #expect(lab.events.contains { if case .linkUp = $0 { true } else { false } })
    #expect(!lab.events.contains { if case .written = $0 { true } else { false } })
  }

  /// Receives counted notifications, one in 10 ms, over a link that carries two in 100 ms.
  private func counting() throws -> Lab {
    let lab = try lab { device in
      device.services[0].characteristics[0].behaviour = .counter(
        Counter(format: ValueFormat("u16") ?? .octet, every: .milliseconds(10))
      )
    }
    try lab.client.call("StartNotify", .heartRate)
    return lab
  }

  @Test("more notifications than the link carries wait, and then the device drops some")
  func notifications() throws {
    let lab = try counting()
    try lab.pass(.milliseconds(200))
    lab.forgetEvents()
    var values: [Int] = []
    for _ in 0..<80 {
      try lab.pass(.milliseconds(100))
      let received = lab.events.compactMap { event -> Int? in
        guard case .notified(_, _, let value) = event else { return nil }
        return Int(value[0]) + Int(value[1]) * 256
      }
      #expect(received.count == 2)
      values += received
      lab.forgetEvents()
    }
    let steps = zip(values, values.dropFirst()).map { $1 - $0 }
    #expect(Set(steps.prefix(60)) == [1])
    #expect(steps.suffix(20).reduce(0, +) == 100, "\(steps)")
  }

  @Test("notifications that wait are lost with the connection")
  func lost() throws {
    let lab = try counting()
    try lab.pass(.seconds(1))
    #expect(lab.events.contains { if case .notified = $0 { true } else { false } })
    lab.simulator.loseLink(.monitor)
    lab.forgetEvents()
    try lab.pass(.seconds(2))
    #expect(!lab.events.contains { if case .notified = $0 { true } else { false } })
  }
}
