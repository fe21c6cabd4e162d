// The connections that a run holds, in a file, so that those of a killed run can be released.

import BlueZ
import Bluetooth
import DBus

/// The content of a lease file: a process, and the connections that it holds.
///
/// Lines of words separated by tabs: the process (PID, start in clock ticks after the boot, boot ID), the bus, a
/// line for each connection (its state, the unique name of bluetoothd, the addresses of the adapter and the device, the
/// object path of the device), and a last line `end`.
struct Lease: Hashable, Sendable {
  /// A connection, and its state in this process.
  struct Entry: Hashable, Sendable {
    enum State: String, Sendable {
      /// Connect was called and has not returned.
      case connecting
      /// This process has connected.
      case up
      /// Another process of this user has connected. The last process that shares it disconnects.
      case shared
      /// It was up before, and is never disconnected by a lease.
      case used
    }

    var link: HeldLink
    var state: State
    /// The unique name of its bluetoothd; `-` if unknown.
    var daemon: String
  }

  var owner: ProcessIdentity
  /// The identity of the bus of bluetoothd; `-` if unknown.
  var bus: String
  var entries: [Entry]

  var process: Int32 { owner.process }
  /// The connections that the process has made, is making, or shares.
  var links: [HeldLink] { entries.filter { $0.state != .used }.map(\.link) }

  /// Whether the lease is of this boot and of this bus, so that its connections may still be up.
  func isOf(bus: String) -> Bool { owner.boot == ProcessIdentity.presentBoot && self.bus == bus }

  /// Whether the lease has an entry for a connection, in any state.
  func names(_ link: HeldLink) -> Bool {
    entries.contains { $0.link.device == link.device && $0.link.adapter == link.adapter }
  }

  /// Whether the process holds or shares a connection that a process of this user has made.
  func shares(_ link: HeldLink) -> Bool {
    entries.contains { entry in
      entry.state != .used && entry.link.device == link.device
        && entry.link.adapter == link.adapter
    }
  }

  var text: String {
    let head = [
      ["process", "\(owner.process)", "\(owner.start)", owner.boot], ["bus", bus],
    ]
    let lines = entries.map { entry in
      [
        entry.state.rawValue, entry.daemon, entry.link.adapter.map { "\($0)" } ?? "-",
        "\(entry.link.device)", "\(entry.link.path)",
      ]
    }
    return (head + lines + [["end"]]).map { $0.joined(separator: "\t") + "\n" }.joined()
  }
}

extension Lease {
  /// Parses a file, and ignores unknown lines. Nil without a process.
  init?(_ text: String) {
    var owner: ProcessIdentity?
    var bus = "-"
    var entries: [Entry] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: "\t").map(String.init)
      // The rest belongs to an earlier, longer text.
      if words == ["end"] { break }
      if words.count == 4, words[0] == "process" {
        owner = ProcessIdentity(words.dropFirst().joined(separator: " "))
      } else if words.count == 2, words[0] == "bus" {
        bus = words[1]
      } else if let entry = Entry(words) {
        entries.append(entry)
      }
    }
    guard let owner else { return nil }
    self.init(owner: owner, bus: bus, entries: entries)
  }
}

extension Lease.Entry {
  fileprivate init?(_ words: [String]) {
    guard words.count == 5, let state = State(rawValue: words[0]),
      let device = BluetoothAddress(words[3]), let path = try? ObjectPath(words[4])
    else { return nil }
    let link = HeldLink(adapter: BluetoothAddress(words[2]), device: device, path: path)
    self.init(link: link, state: state, daemon: words[1])
  }
}
