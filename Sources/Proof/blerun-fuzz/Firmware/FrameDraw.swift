// Draws CBOR and SMP frames, valid ones and hostile ones.

import Bluetooth
import Signals

struct FrameDraw {
  /// Images that devices accept, of some hundred bytes.
  let images: [[UInt8]]
  private let hashes: [[UInt8]]
  var generator: SeededGenerator

  init(_ images: [[UInt8]], _ generator: SeededGenerator) {
    self.images = images
    self.generator = generator
    hashes = images.compactMap { try? MCUbootImage($0).hash } + [[], [0], Array(0..<33)]
  }

  private static let keys = [
    "off", "len", "data", "sha", "image", "upgrade", "match", "hash", "confirm", "images", "slot",
    "version", "active", "confirmed", "pending", "permanent", "rc", "err", "group", "buf_size",
    "buf_count", "output", "format", "query", "d", "r", "", "é", "\u{0}",
  ]
  private static let texts = [
    "", "i", "a board", "1.0.0", "2.0.0", "256.0.0", "1.0", "é🦷", "\u{1b}[2J", "\n",
    String(repeating: "x", count: 300),
  ]
  private static let numbers: [Int64] = [
    0, 1, 2, 4, 10, 20, 38, 64, 112, 255, 256, 4_096, 65_535, 65_536, 1 << 31, 1 << 32, .max, .min,
    -1, -2,
  ]

  // MARK: CBOR

  mutating func number() -> Int64 {
    guard generator.hits(1, in: 3) else { return generator.pick(Self.numbers) }
    return Int64(generator.index(generator.pick(images).count + 2))
  }

  mutating func octets() -> [UInt8] {
    switch generator.index(4) {
    case 0: generator.pick(hashes)
    case 1: generator.pick(images)
    case 2: Array(generator.pick(images).prefix(generator.pick([0, 1, 31, 32, 33, 100])))
    default: random(generator.pick([0, 1, 2, 8, 23, 24, 32, 33, 300]))
    }
  }

  private mutating func random(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private mutating func truth() -> CBORValue { .truth(generator.hits(1, in: 2)) }

  /// Draws a value of any type.
  mutating func value(depth: Int = 3) -> CBORValue {
    switch generator.index(depth > 0 ? 7 : 5) {
    case 0: .integer(number())
    case 1: .octets(octets())
    case 2: .text(generator.pick(Self.texts))
    case 3: truth()
    case 4: .null
    case 5: .list((0..<generator.pick([0, 1, 2, 5])).map { _ in value(depth: depth - 1) })
    default: .map(members(depth: depth - 1))
    }
  }

  private mutating func members(depth: Int) -> [CBORValue.Member] {
    (0..<generator.pick([0, 1, 2, 3, 8])).map { _ in
      CBORValue.Member(generator.pick(Self.keys), value(depth: depth))
    }
  }

  /// Draws bytes that no encoder writes: lengths without their content, reserved and unsupported
  /// heads, indefinite-length strings, depth.
  mutating func items() -> [UInt8] {
    switch generator.index(4) {
    case 0:
      return random(generator.pick([0, 1, 2, 5, 40]))
    case 1:
      let depth = generator.pick([1, 7, 8, 9, 200, 5_000])
      let opening: [UInt8] = generator.pick([[0x81], [0x9f], [0xa1, 0x60], [0xbf, 0x60], [0xc0]])
      return Array(repeatElement(opening, count: depth).joined()) + value(depth: 1).encoded
    case 2:
      let count = generator.pick([1, 4_095, 4_096, 4_097, 20_000])
      return [0x99, UInt8(count >> 8), UInt8(count & 0xff)]
        + [UInt8](repeating: generator.pick([0x00, 0xf6, 0x80, 0x40]), count: count)
    default:
      var items: [UInt8] = []
      for _ in 0..<generator.pick([1, 2, 4, 12]) {
        let type = UInt8(generator.index(8)) << 5
        let information = generator.pick([0, 1, 20, 23, 24, 25, 26, 27, 28, 30, 31])
        items.append(type | UInt8(information))
        let length = (24...27).contains(information) ? 1 << (information - 24) : 0
        items += generator.hits(1, in: 2) ? random(length) : Array(repeating: 0xff, count: length)
        if generator.hits(1, in: 2) { items += value(depth: 1).encoded }
      }
      return items
    }
  }

  /// Draws bytes that may be CBOR: a value, a damaged one, or bytes that no encoder writes.
  mutating func content() -> [UInt8] {
    switch generator.index(3) {
    case 0: value().encoded
    case 1: damaged(value().encoded)
    default: items()
    }
  }

  /// Changes, inserts and removes some bytes.
  mutating func damaged(_ octets: [UInt8]) -> [UInt8] {
    var octets = octets
    for _ in 0..<generator.pick([1, 1, 1, 2, 5]) {
      let place = generator.place(in: octets)
      switch generator.index(4) {
      case 0 where place < octets.count: octets[place] = random(1)[0]
      case 1 where place < octets.count: octets[place] ^= 1 << UInt8(generator.index(8))
      case 2: octets.removeSubrange(place...)
      default: octets.insert(contentsOf: random(generator.pick([1, 1, 4])), at: place)
      }
    }
    return octets
  }

  // MARK: Responses

  /// Draws the body of a response: to data, to a question for the images, the buffers or the board,
  /// an error, or any other value.
  mutating func response() -> CBORValue {
    switch generator.index(7) {
    case 0:
      let match = CBORValue.Member("match", truth())
      let offset = CBORValue.Member("off", .integer(number()))
      return .map([offset] + (generator.hits(1, in: 3) ? [match] : []))
    case 1:
      let entries = (0..<generator.pick([0, 1, 2, 2, 2, 3, 20])).map { _ in image() }
      return .map([.init("images", .list(entries))])
    case 2:
      return .map([
        .init("buf_size", .integer(number())), .init("buf_count", .integer(number())),
      ])
    case 3: return .map([.init("output", .text(generator.pick(Self.texts)))])
    case 4: return .map([.init("rc", .integer(number()))])
    case 5:
      let error: [CBORValue.Member] = [
        .init("group", .integer(number())), .init("rc", .integer(number())),
      ]
      return .map([.init("err", generator.hits(1, in: 8) ? value() : .map(error))])
    default: return value()
    }
  }

  private mutating func image() -> CBORValue {
    let all: [CBORValue.Member] = [
      .init("image", .integer(generator.hits(1, in: 4) ? number() : 0)),
      .init("version", .text(generator.pick(Self.texts))),
      .init("hash", .octets(generator.pick(hashes))),
      .init("active", truth()), .init("confirmed", truth()), .init("pending", truth()),
    ]
    var members: [CBORValue.Member] = []
    for member in all where !generator.hits(1, in: 10) { members.append(member) }
    return .map(members)
  }

  // MARK: Requests

  private static let commands: [SMPFrame.Command] = [
    .echo, .reset, .parameters, .information, .bootloader, .imageState, .imageUpload, .imageErase,
    SMPFrame.Command(0, 2), SMPFrame.Command(1, 2), SMPFrame.Command(65_535, 255),
  ]

  /// Draws a request as a client sends it, or one with other keys, values and types.
  mutating func request() -> SMPFrame {
    let frame = usualRequest()
    guard generator.hits(1, in: 2), case .map(var members) = frame.body else { return frame }
    for _ in 0..<generator.pick([1, 1, 2]) {
      let index = generator.index(members.count + 1)
      guard index < members.count else {
        members.append(.init(generator.pick(Self.keys), value()))
        continue
      }
      switch generator.index(3) {
      case 0: members.remove(at: index)
      case 1: members[index] = .init(members[index].key, value())
      default: members[index] = .init(generator.pick(Self.keys), members[index].value)
      }
    }
    return SMPFrame(
      frame.operation, generator.hits(1, in: 8) ? generator.pick(Self.commands) : frame.command,
      sequence: frame.sequence, version: frame.version, .map(members)
    )
  }

  private mutating func usualRequest() -> SMPFrame {
    let sequence = UInt8.random(in: 0...255, using: &generator)
    let version = UInt8(generator.index(4))
    func frame(
      _ operation: SMPFrame.Operation, _ command: SMPFrame.Command,
      _ members: [CBORValue.Member] = []
    ) -> SMPFrame {
      SMPFrame(operation, command, sequence: sequence, version: version, .map(members))
    }
    switch generator.index(12) {
    case 0: return frame(.write, .echo, [.init("d", .text(generator.pick(Self.texts)))])
    case 1: return frame(.read, .information, [.init("format", .text("i"))])
    case 2: return frame(.read, .imageState)
    case 3: return frame(.write, .reset)
    case 4: return frame(.write, .imageErase, [.init("slot", .integer(1))])
    case 5: return frame(.write, .imageState, [.init("confirm", .truth(true))])
    case 6, 7:
      let hash = CBORValue.Member("hash", .octets(generator.pick(hashes)))
      return frame(.write, .imageState, [hash, .init("confirm", truth())])
    case 8: return frame(.read, generator.pick(Self.commands))
    default: return frame(.write, .imageUpload, data())
    }
  }

  /// Draws a part of an image, or all of it.
  private mutating func data() -> [CBORValue.Member] {
    let image = generator.pick(images)
    let start = generator.pick([0, 0, 32, 100, image.count / 2])
    let end = min(image.count, start + generator.pick([32, 100, 1_000]))
    let data: [CBORValue.Member] = [
      .init("off", .integer(Int64(start))),
      .init("data", .octets(Array(image[min(start, end)..<end]))),
    ]
    guard start == 0 else { return data }
    return data + [
      .init("len", .integer(Int64(image.count))), .init("sha", .octets(SHA256.digest(of: image))),
    ]
  }
}

/// Hexadecimal digits, for an input as text.
func digits(_ octets: [UInt8]) -> String {
  octets.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
