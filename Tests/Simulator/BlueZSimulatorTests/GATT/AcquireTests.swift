// AcquireNotify and AcquireWrite: sockets, locks, and how they are released.

import BlueZSimulator
import Bluetooth
import DBus
import Fixtures
import Glibc
import Signals
import SimulatedDevices
import Testing

@Suite("Acquired sockets")
struct AcquireTests {
  private static let heartRate = "DEV/service000a/char000b GattCharacteristic1"
  private static let echo = "DEV/service0016/char0017 GattCharacteristic1"
  private static let notifyAcquired = "org.bluez.Error.NotPermitted: Notify acquired"
  private static let writeAcquired = "org.bluez.Error.NotPermitted: Write acquired"

  /// The available bytes; nil at the end of the file.
  private func packets(_ socket: UnixFD) -> [[UInt8]?] {
    var found: [[UInt8]?] = []
    var buffer = [UInt8](repeating: 0, count: 600)
    while true {
      let count = recv(socket.descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0 { return found }
      found.append(count == 0 ? nil : Array(buffer.prefix(count)))
      if count == 0 { return found }
    }
  }

  private func acquire(_ member: String, _ target: Target, _ client: RawClient) throws -> UnixFD {
    let answer = try client.call(member, target, .noOptions).get()
    #expect(answer.count == 2)
    #expect(answer.last == .uint16(517))
    return try #require(answer.first?.asUnixFD)
  }

  // MARK: Notify

  @Test("NotifyAcquired precedes the socket; each packet is one value, and no value is signalled")
  func notify() throws {
    let lab = try Lab.connected()
    let socket = try acquire("AcquireNotify", .heartRate, lab.client)
    #expect(
      lab.client.take() == [
        "\(Self.heartRate) NotifyAcquired=true", "AcquireNotify replied fd 517",
      ]
    )
    try lab.pass(.milliseconds(2_500))
    #expect(lab.client.take() == [])
    #expect(packets(socket).map { $0?.count } == [1, 1])
  }

  @Test("a value that comes before the socket is lost")
  func early() throws {
    let late = FaultRule(on: .subscribe, action: .answerLate(.milliseconds(300)))
    let lab = try Lab.connected([.early], faults: [late])
    let socket = try acquire("AcquireNotify", .heartRate, lab.client)
    try lab.pass(.seconds(1))
    #expect(packets(socket) == [])
    #expect(lab.events.last == .notified(.monitor, "2a37", [0x57]), "the device has sent it")
  }

  @Test("the socket is a non-blocking sequenced-packet socket")
  func kind() throws {
    let lab = try Lab.connected()
    let socket = try acquire("AcquireNotify", .heartRate, lab.client)
    var type: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(socket.descriptor, SOL_SOCKET, SO_TYPE, &type, &size)
    #expect(type == Int32(SOCK_SEQPACKET.rawValue))
    #expect(fcntl(socket.descriptor, F_GETFL) & O_NONBLOCK != 0)
  }

  @Test("while it is acquired, no client can acquire it again or start notifying")
  func notifyLocked() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    let socket = try acquire("AcquireNotify", .heartRate, lab.client)
    for client in [lab.client, other] {
      let acquired = try client.ask("AcquireNotify", .heartRate, .noOptions)
      #expect(acquired == "AcquireNotify failed \(Self.notifyAcquired)")
      let started = try client.ask("StartNotify", .heartRate)
      #expect(started == "StartNotify failed \(Self.notifyAcquired)")
    }
    #expect(packets(socket) == [])
  }

  @Test("while a client notifies, no client can acquire")
  func notifying() throws {
    let lab = try Lab.connected()
    try lab.client.call("StartNotify", .heartRate)
    #expect(
      try lab.client.ask("AcquireNotify", .heartRate, .noOptions)
        == "AcquireNotify failed org.bluez.Error.InProgress: In Progress"
    )
  }

  @Test("StopNotify releases the socket")
  func stopped() throws {
    let lab = try Lab.connected()
    let socket = try acquire("AcquireNotify", .heartRate, lab.client)
    lab.client.forget()
    try lab.client.call("StopNotify", .heartRate)
    #expect(lab.client.take() == ["\(Self.heartRate) NotifyAcquired=false", "StopNotify replied"])
    #expect(packets(socket) == [nil])
    #expect(try lab.client.ask("StartNotify", .heartRate) == "StartNotify replied")
  }

  @Test("closing the socket releases it and ends the subscription at the device")
  func closed() throws {
    let lab = try Lab.connected()
    let socket = try acquire("AcquireNotify", .heartRate, lab.client)
    lab.client.forget()
    #expect(close(socket.release()) == 0)
    try lab.pass(.seconds(1))
    #expect(lab.client.take() == ["\(Self.heartRate) NotifyAcquired=false"])
    #expect(lab.events.last == .unsubscribed(.monitor, "2a37"))
  }

  @Test("a duplicate of the socket keeps it acquired")
  func duplicated() throws {
    let lab = try Lab.connected()
    let socket = try acquire("AcquireNotify", .heartRate, lab.client)
    let copy = try socket.duplicate()
    lab.client.forget()
    #expect(close(socket.release()) == 0)
    try lab.pass(.milliseconds(100))
    #expect(lab.client.take() == [])
    #expect(close(copy.release()) == 0)
    try lab.pass(.milliseconds(100))
    #expect(lab.client.take() == ["\(Self.heartRate) NotifyAcquired=false"])
  }

  @Test(
    "a characteristic without the property, or with indications only, cannot be acquired",
    arguments: [
      ("StartNotify", Target.location), ("AcquireNotify", .location),
      ("AcquireNotify", .indicated), ("AcquireWrite", .short),
    ]
  )
  func unsupported(member: String, target: Target) throws {
    let lab = try Lab.connected()
    let body = member == "StartNotify" ? [] : [DBusValue].noOptions
    #expect(
      try lab.client.ask(member, target, body)
        == "\(member) failed org.bluez.Error.NotSupported: Operation is not supported"
    )
  }

  // MARK: Write

  @Test("WriteAcquired precedes the socket; each packet is one command")
  func write() throws {
    let lab = try Lab.connected()
    let socket = try acquire("AcquireWrite", .echo, lab.client)
    #expect(
      lab.client.take() == ["\(Self.echo) WriteAcquired=true", "AcquireWrite replied fd 517"])
    lab.forgetEvents()
    for value in [[1, 2], [3]] as [[UInt8]] {
      #expect(send(socket.descriptor, value, value.count, 0) == value.count)
    }
    try lab.pass(.milliseconds(100))
    #expect(
      lab.events == [
        .written(.monitor, .own(1), [1, 2]), .written(.monitor, .own(1), [3]),
      ]
    )
    #expect(try lab.client.ask("ReadValue", .echo, .noOptions) == "ReadValue replied 0x03")
  }

  @Test("while it is acquired, no client can acquire it again or write")
  func writeLocked() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    let socket = try acquire("AcquireWrite", .echo, lab.client)
    for client in [lab.client, other] {
      let acquired = try client.ask("AcquireWrite", .echo, .noOptions)
      #expect(acquired == "AcquireWrite failed \(Self.writeAcquired)")
      for type in ["request", "command"] {
        let body = [DBusValue].write([1], ["type": .string(type)])
        let written = try client.ask("WriteValue", .echo, body)
        #expect(written == "WriteValue failed \(Self.writeAcquired)")
      }
    }
    lab.client.forget()
    #expect(close(socket.release()) == 0)
    try lab.pass(.milliseconds(100))
    #expect(lab.client.take() == ["\(Self.echo) WriteAcquired=false"])
    #expect(try lab.client.ask("WriteValue", .echo, .write([1])) == "WriteValue replied")
  }

  // MARK: Links that end

  @Test("after the link drops, unread packets stay, then the file ends; writes fail")
  func lost() throws {
    let lab = try Lab.connected()
    let notify = try acquire("AcquireNotify", .heartRate, lab.client)
    let write = try acquire("AcquireWrite", .echo, lab.client)
    try lab.pass(.milliseconds(2_500))
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    let left = packets(notify)
    #expect(left.count == 3)
    #expect(left.last == .some(nil))
    #expect(packets(write) == [nil])
    #expect(send(write.descriptor, [1], 1, Int32(MSG_NOSIGNAL)) == -1)
    #expect(errno == EPIPE)
    #expect(try lab.client.property("NotifyAcquired", .heartRate) == .boolean(false))
    #expect(try lab.client.property("WriteAcquired", .echo) == .boolean(false))
  }

  @Test("a client that leaves the bus releases the sockets it acquired")
  func vanished() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    let socket = try acquire("AcquireNotify", .heartRate, other)
    try lab.pass()
    lab.client.forget()
    // Its process ends, and with it its descriptors. The simulator may notice at once.
    #expect(close(socket.release()) == 0)
    other.leave()
    try lab.pass(.milliseconds(100))
    #expect(lab.client.take() == ["\(Self.heartRate) NotifyAcquired=false"])
  }
}
