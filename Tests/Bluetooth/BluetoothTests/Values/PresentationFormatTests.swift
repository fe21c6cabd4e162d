// The format that a device gives its own value.

import Testing

@testable import Bluetooth

@Suite("Presentation format")
struct PresentationFormatTests {
  @Test(
    "a value is decoded by the format, the exponent and the unit of the descriptor",
    arguments: [
      ([0x0e, 0xfe, 0x2f, 0x27, 1, 0, 0], [0x06, 0x09], "23.10 °C"),
      ([0x04, 0x00, 0xad, 0x27, 1, 0, 0], [50], "50 %"),
      ([0x06, 0x02, 0x24, 0x27, 1, 0, 0], [3, 0], "300 Pa"),
      ([0x01, 0x00, 0x00, 0x27, 1, 0, 0], [1], "yes"),
      ([0x19, 0x00, 0x00, 0x27, 1, 0, 0], [0x68, 0x69], "hi"),
      ([0x16, 0x00, 0x2f, 0x27, 1, 0, 0], [0x6e, 0xf1], "36.6 °C"),
    ] as [([UInt8], [UInt8], String)]
  )
  func decodes(descriptor: [UInt8], octets: [UInt8], text: String) throws {
    let description = try #require(ValueDescription(presentation: descriptor))
    #expect("\(try description.decode(octets))" == text)
  }

  @Test(
    "formats that are no single number or text, and octets of another length, describe nothing",
    arguments: [[0x1b, 0, 0, 0x27, 1, 0, 0], [0x03, 0, 0, 0x27, 1, 0, 0], [0x04], []] as [[UInt8]]
  )
  func others(descriptor: [UInt8]) {
    #expect(ValueDescription(presentation: descriptor) == nil)
  }
}
