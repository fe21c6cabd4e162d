// The links that a run holds, written down so that what a killed run left can be released.

import BlueZ
import Bluetooth
import DBus

/// What a lease file says: who wrote it, and which links it holds.
///
/// One line for the process, then one for each link: the adapter's address, the device's, and the
/// device's object, with tabs between.
struct Lease: Hashable, Sendable {
  var process: Int32
  var links: [HeldLink]

  init(process: Int32, links: [HeldLink]) {
    self.process = process
    self.links = links
  }

  /// The text of the file.
  var text: String {
    let lines = links.map { link in
      "\(link.adapter.map { "\($0)" } ?? "-")\t\(link.device)\t\(link.path)"
    }
    return (["process\t\(process)"] + lines).map { $0 + "\n" }.joined()
  }

  /// Reads a file; what is not understood is passed over. Nil when there is no process in it.
  init?(_ text: String) {
    var process: Int32?
    var links: [HeldLink] = []
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t").map(String.init)
      if parts.count == 2, parts[0] == "process" { process = Int32(parts[1]) }
      guard parts.count == 3, let device = BluetoothAddress(parts[1]),
        let path = try? ObjectPath(parts[2])
      else { continue }
      links.append(HeldLink(adapter: BluetoothAddress(parts[0]), device: device, path: path))
    }
    guard let process else { return nil }
    self.init(process: process, links: links)
  }
}
