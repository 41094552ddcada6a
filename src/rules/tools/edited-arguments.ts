import { isRecord } from '../../util/is-record.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** The one argument that a person would change, by tool; of others all are given, as JSON. */
const mainArgument: ReadonlyMap<string, string> = new Map([
  ['bash', 'command'],
  ['fetch', 'url'],
  ['web_scrape', 'url'],
])

export type EditedArguments =
  | {
      readonly kind: 'arguments'
      readonly text: string
      /** Every argument was written by the person. */
      readonly isWhole: boolean
    }
  | { readonly kind: 'wrong'; readonly why: string }

/**
 * APPR-14: the arguments of a call after a person has written what it should be: a command for bash, a URL for web tools,
 * and for all others a JSON object with the arguments to change. What is not named stays. `present` is the call's own text.
 */
export function editedArguments(tool: string, present: string, written: string): EditedArguments {
  const args = tryParseJson(present)
  if (!isRecord(args)) return { kind: 'wrong', why: 'its arguments cannot be read' }
  const main = mainArgument.get(tool)
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
export function editableText(tool: string, present: string): string {
  const args = tryParseJson(present)
  if (!isRecord(args)) return ''
  const main = mainArgument.get(tool)
  const said = main === undefined ? JSON.stringify(args, null, 2) : args[main]
  return typeof said === 'string' ? said : ''
}
