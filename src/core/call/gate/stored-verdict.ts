import type { Verdict } from '../../../domain/verdict.ts'
import { toStorable } from '../../../util/text/storable.ts'

/** A verdict as its call's row holds it. */
export function storedVerdict(verdict: Verdict): string {
  return toStorable(JSON.stringify(verdict))
}
