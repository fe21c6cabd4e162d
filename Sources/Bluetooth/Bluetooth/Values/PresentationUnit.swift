// Units of the presentation format descriptor.

/// The symbols of common units.
///
/// - Source: Bluetooth Assigned Numbers, "Units by UUID".
enum PresentationUnit {
  static let names = Names(
    [
      0x2700: "none", 0x2701: "m", 0x2702: "kg", 0x2703: "s", 0x2704: "A", 0x2705: "K",
      0x2706: "mol", 0x2707: "cd", 0x2710: "m²", 0x2711: "m³", 0x2712: "m/s", 0x2713: "m/s²",
      0x2715: "kg/m³", 0x2720: "rad", 0x2722: "Hz", 0x2723: "N", 0x2724: "Pa", 0x2725: "J",
      0x2726: "W", 0x2727: "C", 0x2728: "V", 0x2729: "F", 0x272a: "Ω", 0x272b: "S",
      0x272c: "Wb", 0x272d: "T", 0x272e: "H", 0x272f: "°C", 0x2730: "lm", 0x2731: "lx",
      0x2760: "min", 0x2761: "h", 0x2762: "d", 0x2763: "°", 0x2767: "L", 0x2768: "t",
      0x2780: "bar", 0x2781: "mmHg", 0x27a6: "km/h", 0x27a7: "mph", 0x27a8: "rpm",
      0x27ac: "°F", 0x27ad: "%", 0x27ae: "‰", 0x27af: "bpm", 0x27b8: "lb",
    ],
    isOpen: true
  )
}
