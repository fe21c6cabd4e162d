// The attribute of an operation.

extension Operation {
  /// The attribute; nil for operations without one.
  public var path: AttributePath? {
    switch action {
    case .read(let path, _), .write(let path, _, _), .awaitNotification(let path, _, _),
      .sleepWhile(let path, _, _):
      path
    case .scan, .scanFor, .connect, .discoverServices, .refresh, .disconnect, .bond, .unbond,
      .assertService, .beginReliableWrite, .executeReliableWrite, .abortReliableWrite, .readRSSI,
      .requestMTU, .sleep, .unsupported:
      nil
    }
  }
}
