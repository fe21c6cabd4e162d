// Gathering the facts of a host: files of the kernel, programs of BlueZ, leases, bluetoothd.
//
// Thin: it decides nothing.

import BlueZ
import Bluetooth
import Glibc
import Jobs
import Signals

/// Where facts come from. The paths are the kernel's, unless a test names others.
struct HostSurvey: Sendable {
  var bluetoothFolder = "/sys/class/bluetooth"
  var switchFolder = "/sys/class/rfkill"
  var statusFile = "/proc/self/status"
  /// Programs that print which release of BlueZ is installed, and what they are called. bluetoothd
  /// itself comes first: it is the one that answers.
  var programs: [(arguments: [String], name: String)] = [
    (["/usr/libexec/bluetooth/bluetoothd", "--version"], "bluetoothd itself"),
    (["/usr/lib/bluetooth/bluetoothd", "--version"], "bluetoothd itself"),
    (["bluetoothctl", "--version"], "bluetoothctl"),
  ]

  /// Everything that can be known now.
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
    // Looked at and let go of: only a release takes them.
    facts.orphans = world.ledger?.orphans().map(\.lease) ?? []
    return facts
  }

  // MARK: The kernel

  /// The switches for Bluetooth radios.
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

  /// The release that the first program prints that can be run.
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
