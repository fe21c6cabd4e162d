// Derives findings and advice from the facts of a host.
//
// It is pure: HostSurvey collects the facts.

import BlueZ
import Bluetooth
import Jobs

/// The findings about a host that should run chains.
struct Diagnosis: Sendable {
  let findings: [Finding]

  /// The exit status of the process: 69 if no chain can run.
  var exitStatus: ExitStatus {
    findings.contains { $0.grade == .unusable } ? .unavailable : .ok
  }

  init(_ facts: HostFacts) {
    var findings = Self.bus(facts)
    findings += Self.switches(facts)
    if facts.problem == nil {
      findings += Self.daemon(facts) + Self.adapters(facts) + Self.scans(facts)
      findings += Self.links(facts)
    }
    findings += Self.orphans(facts) + Self.privileges(facts)
    self.findings = findings
  }

  // MARK: Bus and daemon

  private static func bus(_ facts: HostFacts) -> [Finding] {
    guard let problem = facts.problem else {
      let what = facts.isSimulated ? "a simulated bluetoothd answers" : "bluetoothd answers"
      return [Finding(.ok, "bus", what)]
    }
    let subject = problem.code == .daemonMissing ? "daemon" : "bus"
    let hint = problem.hint.isEmpty ? nil : problem.hint
    let answer = problem.bluez.map { " (\($0))" } ?? ""
    let policy =
      problem.code == .notPermitted ? ": the bus's policy (bluetooth.conf) decides who may" : ""
    return [Finding(.unusable, subject, problem.why + policy + answer, hint: hint)]
  }

  private static func daemon(_ facts: HostFacts) -> [Finding] {
    guard !facts.isSimulated else { return [] }
    guard let version = facts.version else {
      return [
        Finding(.note, "daemon", "the release of BlueZ is not known: features are tried as needed")
      ]
    }
    var features: [String] = []
    if version.isAtLeast(5, 83) == true { features.append("reasons of disconnections") }
    if version.isAtLeast(5, 73) == true { features.append("the adapter's power state") }
    if facts.hasExperimentalInterfaces { features.append("passive scanning") }
    let list = features.isEmpty ? "" : ", with \(features.joined(separator: ", "))"
    let comparison = version.comparison.map { "; \($0)" } ?? ""
    var findings = [
      Finding(.ok, "daemon", "BlueZ \(version.text) (from \(version.source))\(list)\(comparison)")
    ]
    if version.isAtLeast(5, 55) == false {
      findings.append(
        Finding(
          .warning, "daemon", "BlueZ \(version.text) is older than any that was tried",
          hint: "install 5.66 or later"
        )
      )
    }
    return findings
  }

  // MARK: Adapters

  private static func switches(_ facts: HostFacts) -> [Finding] {
    facts.switches.compactMap { each in
      if each.isHardBlocked {
        return Finding(
          .unusable, "rfkill", "\(each.name) is blocked by a switch or key of this machine",
          hint: "turn the radio on there; rfkill list shows the state"
        )
      }
      guard each.isSoftBlocked else { return nil }
      let name = each.name
      return Finding(
        .unusable, "rfkill", "\(name) is blocked by software", hint: "rfkill unblock bluetooth"
      )
    }
  }

  private static func adapters(_ facts: HostFacts) -> [Finding] {
    guard !facts.adapters.isEmpty else {
      let controllers = facts.controllers ?? []
      guard controllers.isEmpty else {
        return [
          Finding(
            .unusable, "adapter",
            "the kernel has \(controllers.joined(separator: ", ")), bluetoothd has no adapter",
            hint: "systemctl restart bluetooth; see journalctl -u bluetooth and dmesg"
          )
        ]
      }
      return [
        Finding(
          .unusable, "adapter", "there is no Bluetooth adapter",
          hint: "plug one in and look with dmesg, or run with --simulate"
        )
      ]
    }
    let isAnyOn = facts.adapters.contains(where: \.isPowered)
    return facts.adapters.map { adapter in
      let title = adapter.name + (adapter.address.map { " (\($0))" } ?? "")
      guard adapter.isPowered else {
        return Finding(
          isAnyOn ? .note : .unusable, "adapter",
          "\(title) is off" + (adapter.powerState.map { ", \($0)" } ?? ""),
          hint: adapter.powerState == "off-blocked"
            ? "rfkill unblock bluetooth, then bluetoothctl power on" : "bluetoothctl power on"
        )
      }
      guard adapter.isCentral else {
        return Finding(
          .warning, "adapter", "\(title) is on, but does not support the central role",
          hint: "use another adapter"
        )
      }
      return Finding(.ok, "adapter", "\(title) is on, called \(adapter.alias)")
    }
  }

  private static func scans(_ facts: HostFacts) -> [Finding] {
    facts.adapters.filter(\.isDiscovering).map { adapter in
      Finding(
        .note, "scan",
        "another program scans over \(adapter.name): connecting is slower and fails more often",
        hint: "close Bluetooth settings, bluetoothctl and other scanners if connecting fails"
      )
    }
  }

  // MARK: Links

  private static func links(_ facts: HostFacts) -> [Finding] {
    facts.links.map { link in
      let name = (link.name.map { "\($0) " } ?? "") + "(\(link.address))"
      func isIn(_ leases: [Lease]) -> Lease? {
        leases.first { $0.links.contains { $0.device == link.address } }
      }
      if let run = isIn(facts.runs) {
        return Finding(.note, "link", "\(name) is connected by blerun, process \(run.process)")
      }
      if isIn(facts.orphans) != nil {
        return Finding(
          .warning, "link", "\(name) is still connected by a run that was killed",
          hint: "blerun doctor --release"
        )
      }
      return Finding(
        .note, "link", "\(name) is connected: chains use the link and leave it up",
        hint: "bluetoothctl disconnect \(link.address), if nothing needs it"
      )
    }
  }

  private static func orphans(_ facts: HostFacts) -> [Finding] {
    facts.orphans.filter { !$0.links.isEmpty }.map { lease in
      let devices = lease.links.map { "\($0.device)" }.joined(separator: ", ")
      return Finding(
        .warning, "orphan", "process \(lease.process) was killed while it held \(devices)",
        hint: "blerun doctor --release; the next run does it too"
      )
    }
  }

  // MARK: Privileges

  private static func privileges(_ facts: HostFacts) -> [Finding] {
    guard !facts.isSimulated else { return [] }
    let wanted = [
      (HostFacts.rawSockets, "CAP_NET_RAW"), (HostFacts.networkAdministration, "CAP_NET_ADMIN"),
    ]
    let missing = wanted.filter { !facts.has($0.0) }.map(\.1)
    guard !missing.isEmpty else { return [] }
    return [
      Finding(
        .note, "privilege",
        "without \(missing.joined(separator: " and ")): no signal strength of live links, no "
          + "connection parameters, read or changed, no HCI trace; other steps need neither",
        hint: "run as root, or give the executable the capability with setcap, where those are "
          + "wanted"
      )
    ]
  }
}
