import { isRecord } from '../../util/is-record.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { mainArgument } from './ruled-argument.ts'
import type { ToolSpec } from './tool-spec.ts'

export type EditedArguments =
  | {
      readonly kind: 'arguments'
      readonly text: string
      /** Every argument was written by the person. */
      readonly isWhole: boolean
    }
  | { readonly kind: 'wrong'; readonly why: string }

/**
 * APPR-14: the arguments of a call after a person has written what it should be: its command or URL,
 * and for all others a JSON object with the arguments to change. What is not named stays. `present` is the call's own text.
 */
export function editedArguments(
  spec: ToolSpec | undefined,
  present: string,
  written: string,
): EditedArguments {
  const args = tryParseJson(present)
  if (!isRecord(args)) return { kind: 'wrong', why: 'its arguments cannot be read' }
  const main = mainArgument(spec)
  const change = main === undefined ? tryParseJson(written) : { [main]: written.trim() }
  if (!isRecord(change)) {
    const why = `write the arguments to change as a JSON object, such as ${exampleOf(args)}`
    return { kind: 'wrong', why }
  }
  const isWhole = Object.keys(args).every((name) => Object.hasOwn(change, name))
  return { kind: 'arguments', text: JSON.stringify({ ...args, ...change }), isWhole }
}

function exampleOf(args: Readonly<Record<string, unknown>>): string {
  const [name = 'name'] = Object.keys(args)
  return JSON.stringify({ [name]: '…' })
}

/** What a person is given to change: the one argument that says it all, or all of them as JSON. */
export function editableText(spec: ToolSpec | undefined, present: string): string {
  const args = tryParseJson(present)
  if (!isRecord(args)) return ''
  const main = mainArgument(spec)
  const said = main === undefined ? JSON.stringify(args, null, 2) : args[main]
  return typeof said === 'string' ? said : ''
}
