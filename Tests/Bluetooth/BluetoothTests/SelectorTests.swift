// Characteristic selectors, and the errors for invalid ones.

import Bluetooth
import Testing

@Suite("Characteristic selectors")
struct SelectorTests {
  @Test(
    "a selector is printed as it was parsed",
    arguments: [
      ("heart-rate-measurement", "heart-rate-measurement"), ("2a37", "heart-rate-measurement"),
      ("heart-rate/2A37#1", "heart-rate/heart-rate-measurement#1"), ("@18", "@0x0012"),
      ("@0x0012", "@0x0012"), ("@001f", "@0x001f"), ("@0018", "@0x0018"), ("@65535", "@0xffff"),
      ("6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40", "6e5d0001-1b1a-4e1c-8f6b-0b6c1d2e3f40"),
    ]
  )
  func reading(text: String, written: String) throws {
    #expect(try CharacteristicSelector(parsing: text).description == written)
  }

  private static let handles =
    "expected a handle: @0001 to @ffff, @0x1 to @0xffff, or a decimal number that does not have "
    + "four digits"
  private static let forDescriptors =
    " (expected a characteristic; descriptors have read-descriptor, write-descriptor and "
    + "--descriptor)"

  @Test(
    "the error for an invalid selector gives the reason and the nearest known name",
    arguments: [
      (
        "heart-rate-mesurement",
        "unknown characteristic 'heart-rate-mesurement' (did you mean 'heart-rate-measurement'?)"
      ),
      ("hart-rate/2a37", "unknown service 'hart-rate' (did you mean 'heart-rate'?)"),
      ("2a37#x", "expected an instance number after #"), ("a/b/c", "more than one /"),
      ("battery-level/2902", "'battery-level/2902' is a descriptor" + Self.forDescriptors),
      ("180f/2a19/valid-range", "'180f/2a19/valid-range' is a descriptor" + Self.forDescriptors),
      ("@0", Self.handles),
      ("@70000", Self.handles),
    ]
  )
  func wrong(text: String, complaint: String) {
    do {
      _ = try CharacteristicSelector(parsing: text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.description == complaint)
    }
  }

  @Test(
    "a descriptor selector is printed as it was parsed",
    arguments: [
      ("2a19/2901", "battery-level/characteristic-user-description"),
      (
        "battery/battery-level#1/client-characteristic-configuration",
        "battery/battery-level#1/client-characteristic-configuration"
      ),
      ("report/2908#2", "report/report-reference#2"), ("@001f", "@0x001f"),
      ("@0x0012/2901", "@0x0012/characteristic-user-description"),
    ]
  )
  func descriptors(text: String, written: String) throws {
    #expect(try DescriptorSelector(parsing: text).description == written)
  }

  @Test(
    "the error for an invalid descriptor selector gives the reason",
    arguments: [
      ("battery-level", "expected characteristic/descriptor, or @ and a handle"),
      ("battery-level/2901#x", "expected an instance number after #"),
      ("battery-level/valid-rang", "unknown descriptor 'valid-rang' (did you mean 'valid-range'?)"),
      (
        "batery-level/2901",
        "unknown characteristic 'batery-level' (did you mean 'battery-level'?)"
      ), ("@0", handles),
    ]
  )
  func wrongDescriptors(text: String, complaint: String) {
    do {
      _ = try DescriptorSelector(parsing: text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.description == complaint)
    }
  }
}
