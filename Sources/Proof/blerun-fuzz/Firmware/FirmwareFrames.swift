// Hostile CBOR and SMP frames, for both ends of a firmware update.

import Bluetooth
import Signals

/// Decodes bytes as CBOR, sends requests to the firmware of a simulated device, and updates such a
/// device over a hostile wire.
struct FirmwareFrames: FuzzTarget {
  private enum Kind { case content, requests, update }

  private let seed: UInt64
  private let images: [[UInt8]]

  init(seed: UInt64) {
    self.seed = seed
    let versions = [
      FirmwareVersion(0, 9, 0), FirmwareVersion(1, 0, 0), FirmwareVersion(2, 0, 0, build: 7),
    ]
    images = zip(versions, [0, 150, 700]).map { version, count in
      MCUbootImage.octets(version, body: (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) })
    }
  }

  func input(_ number: UInt64) -> String {
    var draw = makeDraw(number)
    switch Self.kind(&draw) {
    case .content: return digits(draw.content())
    case .requests: return "\(BootloaderRequests(&draw))"
    case .update: return (try? DisturbedUpdate(&draw)).map { "\($0)" } ?? "there is no update"
    }
  }

  func feed(_ number: UInt64) throws -> Bool {
    var draw = makeDraw(number)
    switch Self.kind(&draw) {
    case .content: return try decode(draw.content())
    case .requests: return try BootloaderRequests(&draw).play()
    case .update:
      var update = try DisturbedUpdate(&draw)
      return try update.play()
    }
  }

  private func makeDraw(_ number: UInt64) -> FrameDraw {
    FrameDraw(images, SeededGenerator("smp", seed: seed, number: number))
  }

  private static func kind(_ draw: inout FrameDraw) -> Kind {
    draw.generator.pick([.content, .requests, .update, .update])
  }

  /// Decodes an item, and checks that encoding and decoding it again returns the same item.
  private func decode(_ octets: [UInt8]) throws -> Bool {
    let value: CBORValue
    do throws(CBORError) {
      value = try CBORValue(decoding: octets)
    } catch {
      guard (0...octets.count).contains(error.position), !error.problem.isEmpty else {
        throw BrokenPromise(description: "\(error), in \(octets.count) bytes")
      }
      return false
    }
    let encoded = value.encoded
    guard encoded.count <= octets.count, try CBORValue(decoding: encoded) == value else {
      throw BrokenPromise(description: "the item is another one when it is encoded: \(value)")
    }
    return true
  }
}
