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
    if (isKnownNoise(lines[at] ?? '')) noise[at] = 1
  }
  return noise
}
