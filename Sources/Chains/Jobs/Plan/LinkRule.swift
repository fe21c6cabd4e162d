// The rules by which a chain connects to its device and disconnects.

import Documents

/// The rules by which a chain connects to its device and disconnects.
public struct LinkRule: Hashable, Sendable {
  /// Whether the connection stays up when the chain ends.
  public var isKept = false
  /// Whether the device is removed from bluetoothd first, so that it is scanned for and its
  /// services are discovered again. This also deletes its bond.
  public var isFresh = false
  /// Whether another program's connection attempt is cancelled instead of awaited.
  public var takesOver = false
  /// Whether the chain fails if another program, account or run has already connected the device.
  public var isExclusive = false
  /// Whether the chain fails if several devices match; otherwise the one with the strongest RSSI is
  /// used.
  public var isUnique = false
  /// From the start of the scan until the strongest of several devices that match is chosen; zero
  /// for the first one that is found, nil for the default.
  public var choice: Duration?
  /// Whether the chain waits for another run on this host that uses the device; otherwise it fails.
  public var awaitsOtherRuns = true
  /// The time to wait for the adapter to be present and powered; nil fails at once.
  public var adapterWait: Duration?

  /// Creates the default rules: only `awaitsOtherRuns` is set.
  ///
  /// ```swift
  /// var plan = try Plan(file: "lock.yaml")
  /// plan.link.takesOver = true  // ends the attempt of another program to connect
  /// ```
  public init() {}

  /// One line for each setting that differs from the default, except `awaitsOtherRuns`.
  var lines: [String] {
    var lines: [String] = []
    if isKept { lines.append("link      is left up") }
    if isFresh { lines.append("device    is forgotten first and found anew") }
    if takesOver { lines.append("device    is taken over from other programs that connect to it") }
    if isExclusive { lines.append("link      has to be made by this run") }
    if isUnique { lines.append("device    has to be the only one that matches") }
    if let choice { lines.append("device    is chosen \(choice.written) after the scan begins") }
    if let adapterWait { lines.append("adapter   is waited for, up to \(adapterWait.written)") }
    return lines
  }
}
