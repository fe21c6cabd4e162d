// A trace of everything between the kernel and its controllers, into a file.
//
// A thin shell: TraceContent decides what is written, this holds socket and file.

public import Bluetooth
import CBluetooth
import Glibc
public import Signals

/// A recording of HCI traffic, in the btsnoop format that Wireshark and btmon read.
///
/// What was received is written at once: what the file has survives the process, whatever ends it.
/// When it has a third of the limit, it goes on in a file with `.1` at its end, then in `.2`, and so
/// on; of those the last two are kept. What had such a name before is replaced. A file that is none
/// of its own, such as a pipe, ends at the limit. Files are for their owner alone, since a trace of a pairing has keys in it.
public final class HCITrace: RunTrace {
  private struct State {
    var content: TraceContent
    var descriptor: Int32
    var watch: Watch?
    var isOpen = true
    var failure: TraceFailure?
  }

  /// 64 MiB: some hours of a busy link.
  public static let usualLimit = 64 << 20

  /// What the kernel may keep while this program is busy.
  private static let unreadOctets: Int32 = 4 << 20
  private static let longestFrame = 6 + 0xffff

  public let file: String
  private let socket: Int32
  private let state: Guarded<State>

  /// Begins to collect; what comes is written from ``start(on:)`` on.
  ///
  /// - Parameters:
  ///   - file: Made, or emptied. It is not touched where the kernel refuses the trace.
  ///   - limit: The most octets, of all files together.
  /// - Throws: ``DeviceFailure`` where this process may not trace, ``TraceFailure`` where the file
  ///   cannot be made.
  public init(to file: String, limit: Int = HCITrace.usualLimit) throws {
    self.file = file
    do {
      socket = try KernelSockets.open(index: host_no_device, channel: host_channel_monitor)
    } catch {
      throw error.failure("recording an HCI trace")
    }
    let descriptor = Self.make(file)
    guard descriptor >= 0 else {
      let number = errno
      Glibc.close(socket)
      throw TraceFailure(file: file, errorNumber: number)
    }
    _ = host_stamp(socket, Self.unreadOctets)
    let content = TraceContent(limit: limit, hasMoreFiles: Self.isRegular(descriptor))
    state = Guarded(State(content: content, descriptor: descriptor))
    if let number = Self.write(SnoopFormat.header, to: descriptor) { fail(number) }
  }

  deinit {
    close()
  }

  /// Writes what comes, on `loop`, until ``close()``.
  public func start(on loop: Loop) {
    let watch = loop.watch(socket, for: .readable) { [weak self] _ in self?.drain() }
    state.withLock { $0.watch = watch }
  }

  /// Takes in what has come, and ends the recording. Later calls do nothing.
  public func close() {
    drain()
    let (wasOpen, watch, descriptor) = state.withLock { state in
      defer { state.isOpen = false }
      return (state.isOpen, state.watch, state.descriptor)
    }
    guard wasOpen else { return }
    watch?.cancel()
    Glibc.close(socket)
    if Glibc.close(descriptor) != 0 { fail(errno) }
  }

  // MARK: What there is

  public func mark() -> Int {
    drain()
    return state.withLock { $0.content.total }
  }

  public func slice(since mark: Int) -> TraceSlice? {
    drain()
    return state.withLock { $0.content.slice(since: mark, of: name($0.content.present)) }
  }

  /// The files that there are, in order, with how many packets are in each.
  public var files: [(name: String, packets: Int)] {
    state.withLock { $0.content.files }.map { (name($0.number), $0.packets) }
  }

  /// How many packets are in no file: those between the first file and the second, or those that
  /// came after the only one was full.
  public var leftOut: Int { state.withLock { $0.content.left } }

  private func name(_ number: Int) -> String { number == 0 ? file : "\(file).\(number)" }

  /// The timing of a link that is up and was made while this recorded; nil when nothing was told.
  func parameters(of address: BluetoothAddress, over controller: UInt16) -> ConnectionParameters? {
    drain()
    return state.withLock { $0.content.links.present(address, over: controller) }
  }

  /// The links that were made while it recorded, with their timing.
  public var links: [LinkTiming] { state.withLock { $0.content.links.all } }

  /// Why the file is not whole.
  public var failure: TraceFailure? { state.withLock { $0.failure } }

  // MARK: Socket and file

  /// Writes everything that the socket has now.
  private func drain() {
    // Held throughout: the packets of two drains must not mix. Nothing here calls out.
    let finished: Watch? = state.withLock { state in
      guard state.isOpen else { return nil }
      var finished: Watch?
      var octets: [UInt8] = []
      do throws(KernelRefusal) {
        while let frame = try KernelSockets.receive(socket, room: Self.longestFrame) {
          guard let packet = MonitorPacket(frame.octets) else { continue }
          let writing = state.content.add(packet, at: frame.microseconds)
          if let number = writing.begins {
            put(octets, &state)
            octets = SnoopFormat.header
            begin(number, &state)
          }
          if let number = writing.removes { unlink(name(number)) }
          octets += writing.octets
        }
      } catch {
        // The socket is at its end: it would be ready for ever.
        finished = state.watch
        state.failure = state.failure ?? TraceFailure(file: file, errorNumber: error.errorNumber)
      }
      put(octets, &state)
      return finished
    }
    finished?.cancel()
  }

  private func put(_ octets: [UInt8], _ state: inout State) {
    guard state.failure == nil, let number = Self.write(octets, to: state.descriptor) else {
      return
    }
    state.failure = TraceFailure(file: file, errorNumber: number)
  }

  /// Goes on in another file.
  private func begin(_ number: Int, _ state: inout State) {
    guard state.failure == nil else { return }
    let isClosed = Glibc.close(state.descriptor) == 0
    let closing = errno
    state.descriptor = Self.make(name(number))
    if isClosed, state.descriptor >= 0 { return }
    state.failure = TraceFailure(file: name(number), errorNumber: isClosed ? errno : closing)
  }

  private static func make(_ file: String) -> Int32 {
    open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  }

  private static func isRegular(_ descriptor: Int32) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private func fail(_ number: Int32) {
    state.withLock { $0.failure = $0.failure ?? TraceFailure(file: file, errorNumber: number) }
  }

  /// Writes everything; returns the error number when it could not.
  private static func write(_ octets: [UInt8], to descriptor: Int32) -> Int32? {
    var rest = octets[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }
}

/// A trace file could not be written, or not to its end.
public struct TraceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// What the operating system said.
  public let errorNumber: Int32

  public var description: String {
    "the trace \(file) could not be written: \(String(cString: strerror(errorNumber)))"
  }
}
