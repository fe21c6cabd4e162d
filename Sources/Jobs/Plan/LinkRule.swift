// How a chain treats the link to its device.

/// What a chain asks of connecting and of the link.
public struct LinkRule: Hashable, Sendable {
  /// The link is left up when the chain ends.
  public var isKept = false
  /// The device is forgotten first, so that it is found and its services are read anew. A bond is
  /// lost with it.
  public var isFresh = false
  /// The attempt of another program to connect to the device is ended instead of waited for.
  public var takesOver = false
  /// How long to wait for the adapter to be there and on; nil: it has to be.
  public var adapterWait: Duration?

  public init() {}

  /// A line for each thing that is not as usual.
  var lines: [String] {
    var lines: [String] = []
    if isKept { lines.append("link      is left up") }
    if isFresh { lines.append("device    is forgotten first and found anew") }
    if takesOver { lines.append("device    is taken over from other programs that connect to it") }
    if let adapterWait { lines.append("adapter   is waited for, up to \(adapterWait.written)") }
    return lines
  }
}
