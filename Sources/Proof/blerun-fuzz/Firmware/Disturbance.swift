// The disturbances of a hostile wire, one for each packet.

import Bluetooth
import Signals

enum Disturbance: CustomStringConvertible {
  case none
  case loss
  case twice
  /// The packet arrives after the next one.
  case later
  case octet(at: Int, UInt8)
  /// Only so many bytes arrive.
  case cut(to: Int)
  /// The frame has another body, and that body's length in its header.
  case body([UInt8])
  /// Another packet arrives.
  case packet([UInt8])
  /// Another packet follows.
  case extra([UInt8])
  /// The connection is lost.
  case drop

  /// Draws the disturbance of a packet; half of the packets arrive as they were sent.
  static func draw(_ draw: inout FrameDraw) -> Disturbance {
    switch draw.generator.index(20) {
    case 0: .loss
    case 1: .twice
    case 2: .later
    case 3: .octet(at: draw.generator.index(300), UInt8.random(in: 0...255, using: &draw.generator))
    case 4: .cut(to: draw.generator.pick([0, 1, 7, 8, 9, 20]))
    case 5, 6, 7: .body(draw.response().encoded)
    case 8: .body(draw.content())
    case 9:
      .packet(draw.generator.hits(1, in: 2) ? draw.items() : draw.damaged(draw.request().encoded))
    case 10: .extra(draw.damaged(draw.request().encoded))
    case 11: .drop
    default: .none
    }
  }

  /// Draws the disturbance of a packet on a wire that changes no bytes and no order.
  static func drawLoss(_ draw: inout FrameDraw) -> Disturbance {
    draw.generator.pick([.none, .none, .none, .none, .none, .none, .loss, .drop])
  }

  var description: String {
    switch self {
    case .none: "arrives"
    case .loss: "is lost"
    case .twice: "arrives twice"
    case .later: "arrives after the next"
    case .octet(let place, let octet): "has \(digits([octet])) at \(place)"
    case .cut(let count): "is cut to \(count) bytes"
    case .body(let body): "has the body \(digits(body))"
    case .packet(let packet): "is replaced by \(digits(packet))"
    case .extra(let packet): "is followed by \(digits(packet))"
    case .drop: "is lost with the connection"
    }
  }

  /// The packets that arrive in place of one.
  func packets(for packet: [UInt8]) -> [[UInt8]] {
    switch self {
    case .none: return [packet]
    case .loss, .later, .drop: return []
    case .twice: return [packet, packet]
    case .octet(let place, let octet):
      guard !packet.isEmpty else { return [packet] }
      var packet = packet
      packet[place % packet.count] = octet
      return [packet]
    case .cut(let count): return [Array(packet.prefix(count))]
    case .body(let body):
      guard packet.count >= SMPFrame.headerLength, body.count <= 0xffff else { return [packet] }
      let length = [UInt8(body.count >> 8), UInt8(body.count & 0xff)]
      return [packet[..<2] + length + packet[4..<SMPFrame.headerLength] + body]
    case .packet(let other): return [other]
    case .extra(let other): return [packet, other]
    }
  }
}
