// When changes are announced: together, and before replies.

import BlueZSimulator
import Bluetooth
import DBus
import Signals
import SimulatedDevices
import Testing

@Suite("Batches of changes")
struct BatchingTests {
  @Test("simultaneous changes are one message, in the order in which they were made")
  func together() throws {
    let lab = try Lab.connected()
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    let first = try #require(lab.client.messages.first)
    #expect(first.body[1].asPropertyMap?.names == ["ServicesResolved", "Connected"])
    #expect(first.body[2].asStrings == [])
  }

  @Test("a change carries the values at the time of its announcement")
  func latest() throws {
    let lab = try Lab.connected()
    lab.simulator.setPowered(false)
    lab.simulator.setPowered(true)
    try lab.pass()
    #expect(lab.client.lines.last == "hci0 Adapter1 Powered=true Discovering=false")
  }

  @Test("pending changes are announced before any reply, also to another client")
  func beforeAnswers() throws {
    let lab = try Lab.connected()
    let other = try lab.join()
    try other.begin("GetDiscoveryFilters", .adapter)
    lab.simulator.loseLink(.monitor)
    try lab.pass()
    let lines = other.lines
    let change = lines.firstIndex { $0.contains("Connected=false") }
    let answer = lines.firstIndex { $0.hasPrefix("GetDiscoveryFilters replied") }
    #expect(try #require(change) < #require(answer))
  }

  @Test(
    "a client that sees an answer has seen what the call did, in every call that does something"
  )
  func effects() throws {
    let lab = try Lab.connected()
    let calls: [(String, Target, [DBusValue], String)] = [
      ("StartNotify", .echo, [], "Notifying=true"), ("StopNotify", .echo, [], "Notifying=false"),
      ("AcquireWrite", .echo, .noOptions, "WriteAcquired=true"),
      ("ReadValue", .location, .noOptions, "Value=0x01"),
    ]
    // A socket that is dropped is released.
    var answers: [RawClient.Answer] = []
    for (member, target, body, effect) in calls {
      lab.client.forget()
      answers.append(try lab.client.call(member, target, body))
      #expect(lab.client.lines.count == 2)
      #expect(lab.client.lines.first?.hasSuffix(effect) == true, "\(member)")
    }
  }
}
