// Collects the facts of a host from files of the kernel, programs of BlueZ, leases and bluetoothd.
//
// It interprets nothing: Diagnosis does.

import BlueZ
import Bluetooth
import Glibc
import Jobs
import Signals

/// The sources of facts. The paths are the kernel's, unless a test sets others.
struct HostSurvey: Sendable {
  var bluetoothFolder = "/sys/class/bluetooth"
  var switchFolder = "/sys/class/rfkill"
  var statusFile = "/proc/self/status"
  /// The programs that print the installed release of BlueZ, with their names. bluetoothd comes
  /// first, because it is the one in use.
  var programs: [(arguments: [String], name: String)] = [
    (["/usr/libexec/bluetooth/bluetoothd", "--version"], "bluetoothd itself"),
    (["/usr/lib/bluetooth/bluetoothd", "--version"], "bluetoothd itself"),
    (["bluetoothctl", "--version"], "bluetoothctl"),
  ]

  /// Collects all facts.
  func facts(of world: World) -> HostFacts {
    var facts = HostFacts()
    facts.isSimulated = world.isSimulated
    switch world.client {
    case .success(let client):
      facts.adapters = client.adapterFacts
      facts.links = client.linkFacts
      facts.hasExperimentalInterfaces = client.hasExperimentalInterfaces
    case .failure(let error):
      facts.problem = RunFailure(error)
    }
    guard !world.isSimulated else { return facts }
    facts.version = version()
    if facts.version == nil, facts.adapters.contains(where: { $0.powerState != nil }) {
      facts.version = HostFacts.Version(text: "5.73 or later", source: "the adapter's properties")
    }
    facts.controllers = names(in: bluetoothFolder)?.filter { !$0.contains(":") }
    facts.switches = switches()
    facts.capabilities = capabilities()
    facts.runs = world.ledger?.held() ?? []
    // Listed without acquiring them: only a release does that.
    facts.orphans = world.ledger?.orphans().map(\.lease) ?? []
    return facts
  }

  /// The facts for a radio survey: programs, kernel, and the controller without its address.
  func radioFacts(of world: World) -> [(name: String, value: String)] {
    let facts = facts(of: world)
    var lines = [("blerun", Blerun.version)]
    if world.isSimulated {
      lines.append(("BlueZ", "simulated"))
    } else {
      let version = facts.version.map { "\($0.text), from \($0.source)" } ?? "unknown release"
      lines.append(("BlueZ", version))
      lines.append(("kernel", word(of: "/proc/sys/kernel/osrelease")))
      let system = LockedFile.peek("/etc/os-release").split(separator: "\n")
        .first { $0.hasPrefix("PRETTY_NAME=") }
      lines.append(("system", system.map { "\($0.dropFirst(12))" } ?? "unknown"))
    }
    #if arch(x86_64)
      lines.append(("machine", "x86_64"))
    #elseif arch(arm64)
      lines.append(("machine", "aarch64"))
    #endif
    for adapter in facts.adapters {
      let words = [
        adapter.isPowered ? "powered" : "off", adapter.isCentral ? "central" : "no central role",
        adapter.offersPassiveScan ? "passive scan" : nil,
        adapter.isDiscovering ? "scanning" : nil,
      ]
      lines.append((adapter.name, words.compactMap(\.self).joined(separator: ", ")))
      guard !world.isSimulated else { continue }
      // Of a USB or serial controller: driver and model. What else is there may be a serial number.
      let device = "\(bluetoothFolder)/\(adapter.name)/device"
      let model = LockedFile.peek("\(device)/uevent").split(separator: "\n").filter { line in
        ["DRIVER=", "PRODUCT=", "MODALIAS=", "OF_NAME="].contains { line.hasPrefix($0) }
      }
      if !model.isEmpty { lines.append(("controller", model.joined(separator: " "))) }
    }
    return lines
  }

  private func word(of file: String) -> String {
    LockedFile.peek(file).split(whereSeparator: \.isWhitespace).first.map(String.init) ?? "unknown"
  }

  // MARK: The kernel

  /// The rfkill switches of Bluetooth radios.
  func switches() -> [HostFacts.RadioSwitch] {
    (names(in: switchFolder) ?? []).compactMap { entry in
      let folder = "\(switchFolder)/\(entry)"
      func word(_ name: String) -> String {
        LockedFile.peek("\(folder)/\(name)").split(whereSeparator: \.isWhitespace).joined(
          separator: " "
        )
      }
      guard word("type") == "bluetooth" else { return nil }
      return HostFacts.RadioSwitch(
        name: word("name"), isSoftBlocked: word("soft") == "1", isHardBlocked: word("hard") == "1"
      )
    }
  }

  func capabilities() -> UInt64? {
    let lines = LockedFile.peek(statusFile).split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix("CapEff:") }) else { return nil }
    return line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0, radix: 16) }
  }

  private func names(in folder: String) -> [String]? {
    access(folder, R_OK) == 0 ? RuntimeFolder(path: folder).names : nil
  }

  // MARK: BlueZ

  /// The release that the first available program prints.
  func version() -> HostFacts.Version? {
    for program in programs {
      guard let line = ChildProcess.firstLine(of: program.arguments),
        let text = line.split(separator: " ").last, text.first?.isNumber == true
      else { continue }
      return HostFacts.Version(text: String(text), source: program.name)
    }
    return nil
  }
}
