import { sanitised } from '../../domain/tool/mcp-tool.ts'
import type { Action } from '../../domain/verdict.ts'
import { wildcardMatch } from '../../util/text/wildcard-match.ts'
import { toToolName } from './registry.ts'
import type { ToolSpec } from './tool-spec.ts'

const opening = 'mcp__'

const separator = '__'

/** A tool as rules may name it. */
export type NamedTool = Pick<ToolSpec, 'name' | 'origin'>

/** Whether a name in a rule is that of a server's tools: `mcp__github__create_issue`, `mcp__github__*`, `mcp__github`. */
export function isMcpName(written: string): boolean {
  return written.startsWith(opening)
}

/**
 * Whether a name or wildcard in a rule, a policy or a setting stands for this tool. `mcp__{server}__{tool}` is decided by server
 * and tool, never by the joined name: the server ends at the first `__`, so that an allow for one server cannot reach another. What
 * asks or denies holds for every way to read the name.
 */
export function namesTool(written: string, tool: NamedTool, action: Action): boolean {
  const name = toToolName(written)
  if (!isMcpName(name))
    return fits(name, tool.name) || (action !== 'allow' && fitsAlias(name, tool))
  const named = splitName(name)
  if (tool.origin === undefined) return action !== 'allow' && fits(name, tool.name)
  const { server } = tool.origin
  const isNamed =
    wildcardMatch(named.server, server) &&
    (named.tool === undefined || namesOf(tool.origin).some((own) => fits(named.tool ?? '', own)))
  return isNamed || (action !== 'allow' && (fitsAlias(name, tool) || fits(name, tool.name)))
}

/** Server and tool of such a name; without a tool it stands for all of the server. */
export function splitName(name: string): {
  readonly server: string
  readonly tool: string | undefined
} {
  const rest = name.slice(opening.length)
  const at = rest.indexOf(separator, 1)
  if (at === -1) return { server: rest, tool: undefined }
  return { server: rest.slice(0, at), tool: rest.slice(at + separator.length) }
}

function fits(pattern: string, name: string): boolean {
  return pattern === name || (/[*?]/.test(pattern) && wildcardMatch(pattern, name))
}

function fitsAlias(pattern: string, { origin }: NamedTool): boolean {
  if (origin === undefined) return false
  return namesOf(origin).some((tool) =>
    fits(pattern, `${opening}${origin.server}${separator}${tool}`),
  )
}

/** A tool's name at its server, as it is and as names may be written. */
function namesOf({ tool }: NonNullable<NamedTool['origin']>): readonly string[] {
  return [tool, sanitised(tool)]
}
