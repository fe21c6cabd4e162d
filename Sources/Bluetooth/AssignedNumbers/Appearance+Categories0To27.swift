// Appearance categories 0 to 27: computers, watches, sensors, lights and others.
//
// Data only, as the Bluetooth SIG publishes them.

extension Appearance {
  /// Categories 0 to 27.
  static let categories0To27: [Category] = [
    Category(0, "Unknown"),
    Category(1, "Phone"),
    Category(
      2,
      "Computer",
      [
        "Desktop Workstation", "Server-class Computer", "Laptop", "Handheld PC/PDA (clamshell)",
        "Palm-size PC/PDA", "Wearable computer (watch size)", "Tablet", "Docking Station",
        "All in One", "Blade Server", "Convertible", "Detachable", "IoT Gateway", "Mini PC",
        "Stick PC",
      ]
    ),
    Category(3, "Watch", ["Sports Watch", "Smartwatch"]),
    Category(4, "Clock"),
    Category(5, "Display"),
    Category(6, "Remote Control"),
    Category(7, "Eye-glasses"),
    Category(8, "Tag"),
    Category(9, "Keyring"),
    Category(10, "Media Player"),
    Category(11, "Barcode Scanner"),
    Category(12, "Thermometer", ["Ear Thermometer"]),
    Category(13, "Heart Rate Sensor", ["Heart Rate Belt"]),
    Category(14, "Blood Pressure", ["Arm Blood Pressure", "Wrist Blood Pressure"]),
    Category(
      15,
      "Human Interface Device",
      [
        "Keyboard", "Mouse", "Joystick", "Gamepad", "Digitizer Tablet", "Card Reader",
        "Digital Pen", "Barcode Scanner", "Touchpad", "Presentation Remote",
      ]
    ),
    Category(16, "Glucose Meter"),
    Category(
      17,
      "Running Walking Sensor",
      [
        "In-Shoe Running Walking Sensor", "On-Shoe Running Walking Sensor",
        "On-Hip Running Walking Sensor",
      ]
    ),
    Category(
      18,
      "Cycling",
      [
        "Cycling Computer", "Speed Sensor", "Cadence Sensor", "Power Sensor",
        "Speed and Cadence Sensor",
      ]
    ),
    Category(
      19,
      "Control Device",
      [
        "Switch", "Multi-switch", "Button", "Slider", "Rotary Switch", "Touch Panel",
        "Single Switch", "Double Switch", "Triple Switch", "Battery Switch",
        "Energy Harvesting Switch", "Push Button", "Dial",
      ]
    ),
    Category(20, "Network Device", ["Access Point", "Mesh Device", "Mesh Network Proxy"]),
    Category(
      21,
      "Sensor",
      [
        "Motion Sensor", "Air quality Sensor", "Temperature Sensor", "Humidity Sensor",
        "Leak Sensor", "Smoke Sensor", "Occupancy Sensor", "Contact Sensor",
        "Carbon Monoxide Sensor", "Carbon Dioxide Sensor", "Ambient Light Sensor",
        "Energy Sensor", "Color Light Sensor", "Rain Sensor", "Fire Sensor", "Wind Sensor",
        "Proximity Sensor", "Multi-Sensor", "Flush Mounted Sensor", "Ceiling Mounted Sensor",
        "Wall Mounted Sensor", "Multisensor", "Energy Meter", "Flame Detector",
        "Vehicle Tire Pressure Sensor",
      ]
    ),
    Category(
      22,
      "Light Fixtures",
      [
        "Wall Light", "Ceiling Light", "Floor Light", "Cabinet Light", "Desk Light",
        "Troffer Light", "Pendant Light", "In-ground Light", "Flood Light", "Underwater Light",
        "Bollard with Light", "Pathway Light", "Garden Light", "Pole-top Light", "Spotlight",
        "Linear Light", "Street Light", "Shelves Light", "Bay Light", "Emergency Exit Light",
        "Light Controller", "Light Driver", "Bulb", "Low-bay Light", "High-bay Light",
      ]
    ),
    Category(
      23,
      "Fan",
      [
        "Ceiling Fan", "Axial Fan", "Exhaust Fan", "Pedestal Fan", "Desk Fan", "Wall Fan",
      ]
    ),
    Category(
      24,
      "HVAC",
      [
        "Thermostat", "Humidifier", "De-humidifier", "Heater", "Radiator", "Boiler", "Heat Pump",
        "Infrared Heater", "Radiant Panel Heater", "Fan Heater", "Air Curtain",
      ]
    ),
    Category(25, "Air Conditioning"),
    Category(26, "Humidifier"),
    Category(
      27,
      "Heating",
      [
        "Radiator", "Boiler", "Heat Pump", "Infrared Heater", "Radiant Panel Heater",
        "Fan Heater", "Air Curtain",
      ]
    ),
  ]
}
