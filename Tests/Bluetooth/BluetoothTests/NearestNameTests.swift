// Suggestions for unknown names.

import Testing

@testable import Bluetooth

@Suite("Nearest names")
struct NearestNameTests {
  @Test(
    "a misspelt characteristic has a nearest name",
    arguments: [
      ("heart-rate-measuremnet", "heart-rate-measurement"),
      ("haert-rate-measurement", "heart-rate-measurement"),
      ("batery-level", "battery-level"), ("Battery-Levle", "battery-level"),
      ("temprature", "temperature"), ("humditiy", "humidity"), ("nordic-uart-xt", "nordic-uart-tx"),
      ("manufacturer-name", "manufacturer-name-string"),
    ]
  )
  func characteristics(written: String, meant: String) {
    #expect(AssignedNumbers.nearestCharacteristic(to: written) == meant)
  }

  @Test("services and descriptors have nearest names too")
  func others() {
    #expect(AssignedNumbers.nearestService(to: "haert-rate") == "heart-rate")
    #expect(AssignedNumbers.nearestService(to: "noridc-uart") == "nordic-uart")
    #expect(AssignedNumbers.nearestDescriptor(to: "valid-rnage") == "valid-range")
  }

  @Test(
    "a nonsense word has no nearest name", arguments: ["zzzzzzzzzzzzzzzz", "qqq", "xyzzy-plugh"])
  func nonsense(text: String) {
    #expect(AssignedNumbers.nearestCharacteristic(to: text) == nil)
    #expect(AssignedNumbers.nearestService(to: text) == nil)
  }
}
