import type { ToolCallRow } from '../../db/schema.ts'
import { findTool } from '../../rules/tools/registry.ts'
import { toLoggedUrl } from '../../rules/web/to-logged-url.ts'
import { isRecord } from '../../util/is-record.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** WEB-07: a remark on a call as the audit keeps it: the gate's reasons quote the URL of a web tool. */
export function loggedRemark(tool: string, text: string): string {
  if (addressArgument(tool) === undefined) return text
  return text.replaceAll(/https?:\/\/[^\s"'`<>]+/gi, (url) => toLoggedUrl(url))
}

/** WEB-07: a call's arguments as the audit keeps them: the URL of a web tool without what looks secret in it. */
export function loggedArguments(call: Pick<ToolCallRow, 'tool' | 'arguments'>): string {
  const name = addressArgument(call.tool)
  if (name === undefined) return call.arguments
  const args = tryParseJson(call.arguments)
  const url = isRecord(args) ? args[name] : undefined
  if (!isRecord(args) || typeof url !== 'string') return call.arguments
  return JSON.stringify({ ...args, [name]: toLoggedUrl(url) })
}

/** The argument of a web tool that is an address. */
function addressArgument(tool: string): string | undefined {
  const ruledBy = findTool(tool)?.ruledBy
  return ruledBy?.kind === 'url' ? ruledBy.argument : undefined
}
