// How a chain connects to its device, and how it leaves the connection.

import Documents

/// How a chain connects to its device, and how it leaves the connection.
public struct LinkRule: Hashable, Sendable {
  /// The connection is left up when the chain ends.
  public var isKept = false
  /// The device is forgotten first, so that it is found and its services are discovered again. This
  /// also deletes its bond.
  public var isFresh = false
  /// Another program's attempt to connect to the device is cancelled instead of awaited.
  public var takesOver = false
  /// The chain fails when the device is connected already, by another program, account or run.
  public var isExclusive = false
  /// The chain fails when several devices match; otherwise the strongest is used.
  public var isUnique = false
  /// Another run on this host that uses the device is waited for; otherwise the chain fails.
  public var awaitsOtherRuns = true
  /// How long to wait until the adapter is present and powered; nil: no wait.
  public var adapterWait: Duration?

  /// The usual rule: nothing is forgotten, taken over or left up, and nobody waits for an adapter.
  ///
  /// ```swift
  /// var plan = try Plan(file: "lock.yaml")
  /// plan.link.takesOver = true  // ends the attempt of another program to connect
  /// ```
  public init() {}

  /// One line for each setting that is not the default.
  var lines: [String] {
    var lines: [String] = []
    if isKept { lines.append("link      is left up") }
    if isFresh { lines.append("device    is forgotten first and found anew") }
    if takesOver { lines.append("device    is taken over from other programs that connect to it") }
    if isExclusive { lines.append("link      has to be made by this run") }
    if isUnique { lines.append("device    has to be the only one that matches") }
    if let adapterWait { lines.append("adapter   is waited for, up to \(adapterWait.written)") }
    return lines
  }
}
