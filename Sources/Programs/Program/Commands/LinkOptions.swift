// The options for connecting and for the connection.

import ArgumentParser
import BlueZ
import Jobs

/// The options for a device that another run on this host uses.
struct WaitOptions: ParsableArguments {
  @Flag(
    help: "Fail at once (75) while another run or batch uses the device, instead of waiting for it."
  )
  var noWait = false

  /// A chain's rule with what the command line adds.
  func applied(to rule: LinkRule) -> LinkRule {
    var rule = rule
    if noWait { rule.awaitsOtherRuns = false }
    return rule
  }
}

/// The options for connecting and the connection. They add to the rule of a chain file.
struct LinkOptions: ParsableArguments {
  @Flag(help: "Leave the link up at the end.")
  var keep = false

  @Flag(
    help:
      "Remove the device and its bond from bluetoothd first, so that its services are read again."
  )
  var fresh = false

  @Flag(help: "End another program's attempt to connect to the device, instead of waiting for it.")
  var takeOver = false

  @Option(
    help: .time("How long to wait for an adapter that is off or missing: 10s."),
    transform: Duration.argument
  )
  var waitForAdapter: Duration?

  /// A chain's rule with what the command line adds.
  func applied(to rule: LinkRule) -> LinkRule {
    var rule = rule
    rule.isKept = rule.isKept || keep
    rule.isFresh = rule.isFresh || fresh
    rule.takesOver = rule.takesOver || takeOver
    rule.adapterWait = waitForAdapter ?? rule.adapterWait
    return rule
  }
}

extension ConnectOptions {
  /// Creates the service's options from a chain's rule.
  init(_ rule: LinkRule) {
    self.init()
    isFresh = rule.isFresh
    takesOver = rule.takesOver
    isUnique = rule.isUnique
    otherRuns = rule.awaitsOtherRuns ? .await : .fail
    adapterWait = rule.adapterWait
  }
}
