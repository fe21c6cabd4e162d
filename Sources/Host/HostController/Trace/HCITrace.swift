// A trace of all traffic between the kernel and its controllers, written to a file.
//
// A thin shell: it owns the socket and the file, TraceContent decides what is written where.

public import Bluetooth
import CBluetooth
import Glibc
public import Signals

/// A recording of HCI traffic, in the btsnoop format that Wireshark and btmon read.
///
/// Each packet is written at once, so that the file survives the process, however it ends. When a
/// file has a third of the limit, the trace continues in a file with `.1` appended to the name,
/// then `.2`, and so on; the first and the last two are kept. Existing files with these names are
/// replaced. A file that is not a regular file, such as a pipe, ends at the limit. Files are
/// readable by their owner only, since a trace of a pairing contains keys.
public final class HCITrace: RunTrace {
  private struct State {
    var content: TraceContent
    var descriptor: Int32
    var watch: Watch?
    var isOpen = true
    var failure: TraceFailure?
  }

  /// 64 MiB: some hours of a busy link.
  public static let defaultLimit = 64 << 20

  /// The size of the kernel's buffer while this program is busy.
  private static let unreadOctets: Int32 = 4 << 20
  private static let longestFrame = 6 + 0xffff

  public let file: String
  private let socket: Int32
  private let state: Guarded<State>

  /// Starts to capture; packets are written once ``start(on:)`` is called.
  ///
  /// - Parameters:
  ///   - file: Created or truncated. It is left alone when the kernel refuses the trace.
  ///   - limit: The maximum size of all files together, in octets.
  /// - Throws: ``DeviceFailure`` when this process may not trace, ``TraceFailure`` when the file
  ///   cannot be created.
  public init(to file: String, limit: Int = HCITrace.defaultLimit) throws {
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

  /// Writes packets as they arrive on `loop`, until ``close()``.
  public func start(on loop: Loop) {
    let watch = loop.watch(socket, for: .readable) { [weak self] _ in self?.drain() }
    state.withLock { $0.watch = watch }
  }

  /// Writes the pending packets, and ends the recording. Later calls do nothing.
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

  // MARK: Contents

  public func mark() -> Int {
    drain()
    return state.withLock { $0.content.total }
  }

  public func slice(since mark: Int) -> TraceSlice? {
    drain()
    return state.withLock { $0.content.slice(since: mark, of: name($0.content.present)) }
  }

  /// The files that exist, in order, with the number of packets in each.
  public var files: [(name: String, packets: Int)] {
    state.withLock { $0.content.files }.map { (name($0.number), $0.packets) }
  }

  /// The number of packets in no file: those between the first and the second file, or those that
  /// arrived after the only file was full.
  public var leftOut: Int { state.withLock { $0.content.left } }

  private func name(_ number: Int) -> String { number == 0 ? file : "\(file).\(number)" }

  /// The parameters of a current connection that was made during the recording; nil if none were
  /// reported.
  func parameters(of address: BluetoothAddress, over controller: UInt16) -> ConnectionParameters? {
    drain()
    return state.withLock { $0.content.links.present(address, over: controller) }
  }

  /// The connections made during the recording, with their parameters.
  public var links: [LinkTiming] { state.withLock { $0.content.links.all } }

  /// The reason why the file is incomplete; nil if there is none.
  public var failure: TraceFailure? { state.withLock { $0.failure } }

  // MARK: Socket and file

  /// Writes every packet that the socket holds.
  private func drain() {
    // Holds the lock throughout, so that the packets of two calls do not mix. Nothing here calls
    // out.
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
        // End of file: the socket would otherwise be reported as readable forever.
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

  /// Continues in the next file.
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

  /// Writes everything; returns the error number on failure.
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

/// A trace file could not be written completely.
public struct TraceFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public let file: String
  /// The error number of the operating system.
  public let errorNumber: Int32

  public var description: String {
    "the trace \(file) could not be written: \(String(cString: strerror(errorNumber)))"
  }
}
