import { canonicalJson } from '../../../util/canonical-json.ts'
import type { ToolOrigin } from '../../tools/tool-spec.ts'
import { makeVisible } from '../visible.ts'

const maxCharacters = 1_000

/** Characters that a rules file cannot hold, and escapes of those that nobody sees. */
const unfit = /\uFFFD|\\[bfr]|\\u/

/**
 * APPR-23: the pattern that matches these arguments and no others, bound to the tool's definition; undefined if they are too long
 * to be read on a card, or hold what looks like something else.
 */
export function exactArguments(
  args: Readonly<Record<string, unknown>>,
  origin: ToolOrigin | undefined,
): string | undefined {
  const json = canonicalJson(args)
  const isOdd = unfit.test(json) || makeVisible(json) !== json || json.normalize('NFC') !== json
  return isOdd || json.length > maxCharacters ? undefined : bound(json, origin)
}

/** The pattern for any arguments, for tools that the operator lists. */
export function anyArguments(origin: ToolOrigin | undefined): string {
  return bound('*', origin)
}

function bound(pattern: string, origin: ToolOrigin | undefined): string {
  return origin?.pin === undefined ? pattern : `${pattern} @${origin.pin}`
}
