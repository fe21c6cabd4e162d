// The links that a run holds, written down so that what a killed run left can be released.

import BlueZ
import Bluetooth
import DBus

/// The content of a lease file: who wrote it, and which connections it holds.
///
/// Lines of words with tabs between: the process (its number, its start in clock ticks after the
/// boot, the boot), the bus, then each link (what it is to the process, bluetoothd's unique name,
/// the adapter's address, the device's, the device's object), and a last line `end`.
struct Lease: Hashable, Sendable {
  /// A link, and what it is to the process.
  struct Entry: Hashable, Sendable {
    enum State: String, Sendable {
      /// Connect is being called.
      case connecting
      /// The process has made it.
      case up
      /// Another process of ours has made it: the last one ends it.
      case shared
      /// It was up before: nobody's to release.
      case used
    }

    var link: HeldLink
    var state: State
    /// The unique name of the bluetoothd that serves it; `-` when it is not known.
    var daemon: String
  }

  var owner: ProcessIdentity
  /// The identity of the bus that bluetoothd is on; `-` when it is not known.
  var bus: String
  var entries: [Entry]

  var process: Int32 { owner.process }
  /// The links that the process made, was making, or shares.
  var links: [HeldLink] { entries.filter { $0.state != .used }.map(\.link) }

  /// Whether a process other than the one that wrote it would find its links up by its doing: it is
  /// of this boot, and this bus.
  func isOf(bus: String) -> Bool { owner.boot == ProcessIdentity.presentBoot && self.bus == bus }

  /// Whether the link to a device over the same adapter is named, as whatever.
  func names(_ link: HeldLink) -> Bool {
    entries.contains { $0.link.device == link.device && $0.link.adapter == link.adapter }
  }

  /// Whether the process uses a link that a process of ours has made.
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
  /// Reads a file; what is not understood is ignored. Nil when there is no process in it.
  init?(_ text: String) {
    var owner: ProcessIdentity?
    var bus = "-"
    var entries: [Entry] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: "\t").map(String.init)
      // What follows is left of a longer text.
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
