// Clients that flood a simulated org.bluez with open files, over a real bus: each call is answered
// as by bluetoothd, and nothing stays open in `blerun simulate`.

import DBus
import Fixtures
import Foundation
import Glibc
import Signals
import Testing

@Suite("Floods of descriptors")
struct DescriptorFloodTests {
  static let notifyAcquired = "org.bluez.Error.NotPermitted: Notify acquired"
  static let writeAcquired = "org.bluez.Error.NotPermitted: Write acquired"
  /// More than the system bus allows a user.
  static let tooMany = 300
  /// Often enough that one descriptor kept each time is noticed.
  static let often = testsEverything ? 300 : 60

  let host: FloodedHost
  let loop: EventLoop

  init() async throws {
    host = try await FloodedHost()
    loop = host.loop
  }

  @Test("more connections of a user than the system bus allows are served, as on a session bus")
  func manyConnections() async throws {
    var clients: [MessageBus] = []
    // A program that opens one for each of its loops, and closes none.
    for _ in 0..<Self.tooMany { clients.append(try await host.join()) }
    for client in clients {
      let refusal = await host.refusal(client, FloodedHost.adapter, "StopDiscovery", [])
      #expect(refusal == "org.bluez.Error.Failed: No discovery started")
    }
    for client in clients { client.close() }
  }

  @Test("a client that never closes has two sockets, and is refused each time after that")
  func neverCloses() async throws {
    let client = try await host.join()
    let before = host.openFiles
    var kept: [UnixFD] = []
    for (member, refusal) in [
      ("AcquireNotify", Self.notifyAcquired), ("AcquireWrite", Self.writeAcquired),
    ] {
      let answer = try await host.call(client, host.echo, member)
      kept.append(try #require(answer.first?.asUnixFD))
      for _ in 0..<Self.often {
        #expect(await host.refusal(client, host.echo, member) == refusal)
      }
    }
    #expect(host.openFiles == before + 2)
    kept = []
    #expect(host.comes(to: before))
    client.close()
  }

  @Test("sockets that are taken and closed again and again leave nothing open")
  func againAndAgain() async throws {
    let client = try await host.join()
    let before = host.openFiles
    for _ in 0..<Self.often {
      for member in ["AcquireNotify", "AcquireWrite"] {
        #expect(try await host.acquire(client, member).first?.asUnixFD != nil)
      }
    }
    #expect(host.comes(to: before))
    client.close()
  }

  @Test("clients that vanish with their sockets open leave nothing open, nor anything acquired")
  func vanishing() async throws {
    let before = host.openFiles
    for _ in 0..<50 {
      let client = try await host.join()
      for member in ["AcquireNotify", "AcquireWrite"] {
        _ = try await host.acquire(client, member)
      }
      // Its end of the sockets is closed with the last answer, some time around this.
      client.close()
    }
    #expect(host.comes(to: before))
    let client = try await host.join()
    #expect(try await host.call(client, host.echo, "AcquireNotify").count == 2)
    client.close()
  }

  @Test("files in messages that do not want them are closed, whatever the answer is")
  func unwanted() async throws {
    let client = try await host.join()
    let before = host.openFiles
    let adapter = FloodedHost.adapter
    let file = { DBusValue.unixFD(UnixFD(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))) }
    for _ in 0..<Self.often {
      let wrong = await host.refusal(client, host.echo, "ReadValue", [file(), file()])
      #expect(wrong?.hasPrefix("org.freedesktop.DBus.Error.UnknownMethod") == true)
      let among = DBusValue.properties(["fd": file(), "another": file()])
      #expect(try await host.call(client, host.echo, "ReadValue", [among]).count == 1)
      let filter = DBusValue.properties(["RSSI": file()])
      #expect(
        await host.refusal(client, adapter, "SetDiscoveryFilter", [filter])
          == "org.bluez.Error.InvalidArguments: Invalid arguments in method call"
      )
      let nobody = await host.refusal(client, "/org/bluez/nobody", "Connect", [file()])
      #expect(nobody?.hasPrefix("org.freedesktop.DBus.Error.UnknownObject") == true)
    }
    #expect(host.comes(to: before))
    client.close()
  }

  @Test("answers and signals that nobody waits for, with files in them, are closed")
  func unasked() async throws {
    let client = try await host.join()
    let before = host.openFiles
    for _ in 0..<Self.often {
      let file = UnixFD(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
      try client.send(
        Message.signal(
          path: "/org/bluez", interface: "org.example.Noise", member: "Noise",
          body: [.unixFD(file)], destination: "org.bluez"
        )
      )
    }
    // It has got to the last of them when it answers.
    let tree = try await host.call(client, host.echo, "ReadValue")
    #expect(tree.count == 1)
    #expect(host.comes(to: before))
    client.close()
  }
}
