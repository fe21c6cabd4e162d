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
/// The file is for its owner alone, since a trace of a pairing has keys in it.
public final class HCITrace: RunTrace {
  private struct State {
    var content: TraceContent
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
  private let descriptor: Int32
  private let state: Guarded<State>

  /// Begins to collect; what comes is written from ``start(on:)`` on.
  ///
  /// - Parameters:
  ///   - file: Made, or emptied. It is not touched where the kernel refuses the trace.
  ///   - limit: The most octets the file may have; at least those of its header.
  /// - Throws: ``DeviceFailure`` where this process may not trace, ``TraceFailure`` where the file
  ///   cannot be made.
  public init(to file: String, limit: Int = HCITrace.usualLimit) throws {
    self.file = file
    do {
      socket = try KernelSockets.open(index: host_no_device, channel: host_channel_monitor)
    } catch {
      throw error.failure("recording an HCI trace")
    }
    descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let number = errno
      Glibc.close(socket)
      throw TraceFailure(file: file, errorNumber: number)
    }
    _ = host_stamp(socket, Self.unreadOctets)
    state = Guarded(State(content: TraceContent(limit: limit)))
    put(SnoopFormat.header)
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
    let (wasOpen, watch) = state.withLock { state in
      defer { state.isOpen = false }
      return (state.isOpen, state.watch)
    }
    guard wasOpen else { return }
    watch?.cancel()
    Glibc.close(socket)
    if Glibc.close(descriptor) != 0 { fail(errno) }
  }

  // MARK: What there is

  public func mark() -> Int {
    drain()
    return state.withLock { $0.content.count }
  }

  public func slice(since mark: Int) -> TraceSlice? {
    drain()
    return state.withLock { $0.content.slice(since: mark, of: file) }
  }

  /// How many packets are in the file.
  public var packetCount: Int { state.withLock { $0.content.count } }

  /// How many packets came after the file was full, and are not in it.
  public var leftOut: Int { state.withLock { $0.content.left } }

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
          octets += state.content.add(packet, at: frame.microseconds)
        }
      } catch {
        // The socket is at its end: it would be ready for ever.
        finished = state.watch
        state.failure = state.failure ?? TraceFailure(file: file, errorNumber: error.errorNumber)
      }
      if state.failure == nil, let number = write(octets) {
        state.failure = TraceFailure(file: file, errorNumber: number)
      }
      return finished
    }
    finished?.cancel()
  }

  private func put(_ octets: [UInt8]) {
    if let number = write(octets) { fail(number) }
  }

  private func fail(_ number: Int32) {
    state.withLock { $0.failure = $0.failure ?? TraceFailure(file: file, errorNumber: number) }
  }

  /// Writes everything; returns the error number when it could not.
  private func write(_ octets: [UInt8]) -> Int32? {
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
