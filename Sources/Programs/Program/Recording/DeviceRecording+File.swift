// Creates recordings from files of other programs: HCI traces and bluetoothd's cache.

import Bluetooth
import Documents
import Jobs
import Recording

extension DeviceRecording {
  /// 256 MiB; a phone traces less in a day.
  private static let largestFile = 256 << 20

  /// Reads the recording of a device from a trace or a file of bluetoothd's cache.
  ///
  /// - Parameter target: The device; nil for the only one connected in the trace, or the one that
  ///   names the cache file.
  /// - Throws: ``CommandExit`` for another kind of file, and if the device is ambiguous.
  init(file path: String, of target: DeviceTarget?) throws(CommandExit) {
    let octets: [UInt8]
    do {
      octets = try TextFile.octets(path, limit: Self.largestFile)
    } catch {
      throw CommandExit(error)
    }
    if SnoopFile.isTrace(octets) {
      do throws(SnoopError) {
        self = try SnoopRecording(try SnoopFile(octets)).recording(
          of: target.map { target in { target.matches($0) } }
        )
      } catch {
        // The message lists candidates, one on each line.
        throw CommandExit(
          .data, "\(path): \(error)".split(separator: "\n").map { Problem(String($0)) })
      }
      return
    }
    let text = String(decoding: octets, as: UTF8.self)
    guard BlueZCache.isCacheFile(text) else {
      throw CommandExit(
        .data,
        "\(path): "
          + (SnoopFile.otherKind(octets)
            ?? "it is neither a btsnoop or PacketLogger trace nor a file of bluetoothd's cache")
      )
    }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let given: BluetoothAddress? = if case .address(let address)? = target { address } else { nil }
    guard let address = given ?? BluetoothAddress(name) else {
      throw CommandExit(
        .usage, "\(path): the cache is named after the address of its device; give that with -d"
      )
    }
    self = BlueZCache.recording(text, address: address)
  }
}

extension DeviceTarget {
  /// Whether the target matches a device of a trace.
  fileprivate func matches(_ device: SnoopRecording.Device) -> Bool {
    switch self {
    case .address(let address), .seen(let address, _): device.address == address
    case .name(let pattern, let exact), .alias(let pattern, let exact):
      device.name.map { Glob(pattern, ignoringCase: !exact).matches($0) } ?? false
    case .any: device.isConnected
    case .service: false
    }
  }
}
