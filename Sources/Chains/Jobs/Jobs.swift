// The events of runs and their reports belong to the product Jobs: a program that imports Jobs has them, too.

@_exported public import Reports
@_exported public import RunEvents
