import { findGoTests, unfinished } from './find-go-tests.ts'
import { findMessages } from './find-messages.ts'
import { isKnownNoise } from './known-noise.ts'

/** 1 at each line that is known to be about what went well: by its form, and by where it stands. */
export function findNoise(lines: readonly string[]): Uint8Array {
  const noise = new Uint8Array(lines.length)
  const inMessage = findMessages(lines)
  const goTests = findGoTests(lines)
  for (let at = 0; at < lines.length; at += 1) {
    if (inMessage[at] === 1 || goTests[at] === unfinished) continue
    if (isKnownNoise(lines[at] ?? '') || isHandedOut(lines, at)) noise[at] = 1
  }
  return noise
}

/**
 * `pytest -n -v` names a test when a worker is given it, and again with what became of it. Without workers such a line is the
 * heading of what the test prints.
 */
function isHandedOut(lines: readonly string[], at: number): boolean {
  const next = lines[at + 1] ?? ''
  return isNamed(lines[at] ?? '') && (isNamed(next) || /^\[gw\d{1,4}\] \[/.test(next))
}

function isNamed(line: string): boolean {
  return line.endsWith(' ') && /^[^\s:]{1,512}::\S/.test(line)
}
