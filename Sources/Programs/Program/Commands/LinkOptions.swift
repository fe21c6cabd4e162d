// The options for connecting and for the connection.

import ArgumentParser
import BlueZ
import Documents
import Jobs

/// The option for the choice among several devices that match a name, an alias or a service.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: .time(
      "From the start of a scan until the strongest of the devices that match is chosen; 0s: the "
        + "first one. (default: the chain's, or \(BlueZLimits().choice.written))"
    ),
    transform: Duration.argument
  )
  var choice: Duration?

  /// Returns the rule of a chain, with the option of the command line added.
  func applied(to rule: LinkRule) -> LinkRule {
    var rule = rule
    rule.choice = choice ?? rule.choice
    return rule
  }

  /// The service's options of a command that shares the device with runs.
  var connecting: ConnectOptions {
    var connecting = ConnectOptions()
    connecting.choice = choice
    return connecting
  }
}

/// The options for waits before a device is used: for another run on this host, and for a stronger device.
struct WaitOptions: ParsableArguments {
  @Flag(
    help: "Fail at once (75) if another run or batch uses the device, instead of waiting for it."
  )
  var noWait = false

  @OptionGroup var choosing: ChoiceOptions

  /// Returns the rule of a chain, with the options of the command line added.
  func applied(to rule: LinkRule) -> LinkRule {
    var rule = choosing.applied(to: rule)
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

  /// Returns the rule of a chain, with the options of the command line added.
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
    choice = rule.choice
    otherRuns = rule.awaitsOtherRuns ? .await : .fail
    adapterWait = rule.adapterWait
  }
}
