// Which attribute an operation is about.

extension Operation {
  /// The attribute it is about.
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
