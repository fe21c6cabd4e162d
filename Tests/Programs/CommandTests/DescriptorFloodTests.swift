// Clients that flood a simulated org.bluez with open files, over a real bus: each call is answered
// as by bluetoothd, and nothing stays open in `blerun simulate`.

import DBus
import Fixtures
import Foundation
import Glibc
import Signals
import Testing

@Suite("Floods of descriptors", .blocking)
struct DescriptorFloodTests {
  static let notifyAcquired = "org.bluez.Error.NotPermitted: Notify acquired"
  static let writeAcquired = "org.bluez.Error.NotPermitted: Write acquired"
  /// More than the system bus allows a user.
  static let tooMany = 300
  /// Often enough to notice one leaked descriptor each time.
  static let often = testsEverything ? 300 : 60

  let host: FloodedHost
  let loop: EventLoop

  init() async throws {
    host = try await FloodedHost()
    loop = host.loop
  }

  @Test("one user can open more connections than the system bus allows, as on a session bus")
  func manyConnections() async throws {
    var clients: [MessageBus] = []
    // A program that opens one connection for each of its loops and closes none.
    for _ in 0..<Self.tooMany { clients.append(try await host.join()) }
    for client in clients {
      let refusal = await host.refusal(client, FloodedHost.adapter, "StopDiscovery", [])
      #expect(refusal == "org.bluez.Error.Failed: No discovery started")
    }
    for client in clients { client.close() }
  }

  @Test("a client that closes nothing gets two sockets, and every further request is refused")
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

  @Test("acquiring and closing sockets repeatedly leaves no descriptor open")
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

  @Test("clients that vanish with open sockets leave no descriptor open and nothing acquired")
  func vanishing() async throws {
    let before = host.openFiles
    for _ in 0..<50 {
      let client = try await host.join()
      for member in ["AcquireNotify", "AcquireWrite"] {
        _ = try await host.acquire(client, member)
      }
      // The simulator closes its end of the sockets around the time of the last reply.
      client.close()
    }
    #expect(host.comes(to: before))
    let client = try await host.join()
    #expect(try await host.call(client, host.echo, "AcquireNotify").count == 2)
    client.close()
  }

  @Test("descriptors in messages that do not expect them are closed, whatever the reply is")
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

  @Test("descriptors in unexpected replies and signals are closed")
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
    // It has processed all of them once it answers.
    let tree = try await host.call(client, host.echo, "ReadValue")
    #expect(tree.count == 1)
    #expect(host.comes(to: before))
    client.close()
  }
}
