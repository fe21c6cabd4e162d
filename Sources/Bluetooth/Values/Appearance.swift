// What a device says it looks like.

enum Appearance {
  static let names = Names([0: "unknown"])
}
