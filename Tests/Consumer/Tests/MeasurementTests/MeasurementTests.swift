// Counts that must not grow with the amount of work, in a release build. Unlike times, they do not
// depend on how busy the machine is.

import Testing

@Suite("Measurements")
struct MeasurementTests {
  private let measured = Measurements.measured

  @Test("100 000 chains leave no memory behind")
  func growth() throws {
    let octets = try #require(measured["growth-octets"], "\(measured.lines)")
    // Room for what the allocator keeps, not for an octet a chain.
    #expect(octets < 16_384)
  }

  @Test("a long repetition takes no more memory than a short one")
  func repetition() throws {
    let octets = try #require(measured["repetition-growth-octets"], "\(measured.lines)")
    #expect(octets < 16_384)
  }

  /// Ten times would be linear, a hundred times the square. It is 18: while a device is looked for, bluetoothd
  /// reports all that are received. The rest is for other work on the machine.
  @Test("1 000 simulated devices take at most 25 times the processor time of 100")
  func manyDevices() throws {
    let growth = try #require(measured["many-devices-growth"], "\(measured.lines)")
    #expect(growth > 1)
    #expect(growth <= 25)
  }
}
