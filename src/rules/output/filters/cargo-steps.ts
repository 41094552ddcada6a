/**
 * What cargo says while it works, aligned as it aligns it and with the version behind the name, so that no program that it runs is
 * likely to say the same.
 */
export const cargoSteps: readonly string[] = [
  String.raw`(?: {3}Compiling| {4}Checking| {2}Downloaded| {7}Fresh| {7}Dirty| {3}Unpacking| {1}Documenting| {6}Adding| {4}Scraping) \S+ \(?v\d`,
  String.raw` {4}Updating (?:crates\.io index|git repository|\S+ v\d)`,
  String.raw` {5}Locking \d+ packages?`,
  String.raw` {1,2}Download(?:ing crates \.\.\.|ed \d+ crates?)`,
  ' {4}Blocking waiting for file lock ',
]
