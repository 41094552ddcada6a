import { wildcardMatch } from '../../util/text/wildcard-match.ts'
import { bashTool } from './bash.ts'
import { copyPathTool } from './copy-path.ts'
import { createDirectoryTool } from './create-directory.ts'
import { deletePathTool } from './delete-path.ts'
import { diagnosticsTool } from './diagnostics.ts'
import { editTool } from './edit.ts'
import { fetchTool } from './fetch.ts'
import { findPathTool } from './find-path.ts'
import { grepTool } from './grep.ts'
import { listDirectoryTool } from './list-directory.ts'
import { movePathTool } from './move-path.ts'
import { nearestNames } from './parse-arguments.ts'
import { putFileTool } from './put-file.ts'
import { readTool } from './read.ts'
import { readOverflowTool } from './read-overflow.ts'
import { toolSearchTool } from './tool-search.ts'
import type { ToolSpec } from './tool-spec.ts'
import { undoTool } from './undo.ts'
import { webScrapeTool } from './web-scrape.ts'
import { writeTool } from './write.ts'

/** The tools known to a process, by name, in the order shown to the model. */
export interface ToolRegistry {
  readonly tools: readonly ToolSpec[]
  find(name: string): ToolSpec | undefined
  /** REG-05: at most three names similar to `name`, best first. */
  nearest(name: string): string[]
}

/** REG-03: creates a registry; throws if two tools share a name or a name is not `[A-Za-z0-9_-]{1,64}`. */
export function createRegistry(specs: readonly ToolSpec[]): ToolRegistry {
  const byName = new Map<string, ToolSpec>()
  for (const spec of specs) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(spec.name)) {
      throw new Error(`Tool name ${JSON.stringify(spec.name)} is not [A-Za-z0-9_-]{1,64}`)
    }
    if (byName.has(spec.name)) {
      throw new Error(`Two tools are called "${spec.name}"; tool names must be unique`)
    }
    assertArguments(spec)
    byName.set(spec.name, spec)
  }
  return {
    tools: [...byName.values()],
    find: (name) => byName.get(name),
    nearest: (name) => nearestNames(name, [...byName.keys()]),
  }
}

/** Rules must not refer to an argument that the tool does not have. */
function assertArguments({ name, schema, ruledBy, paths = [] }: ToolSpec): void {
  const named = paths.map(({ argument }) => argument)
  if (ruledBy?.kind === 'paths' && named.length === 0) {
    throw new Error(`The tool "${name}" is ruled by its paths, and names none`)
  }
  if (ruledBy !== undefined && 'argument' in ruledBy) named.push(ruledBy.argument)
  const missing = named.find((argument) => !Object.hasOwn(schema.shape, argument))
  if (missing !== undefined) throw new Error(`The tool "${name}" has no argument ${missing}`)
}

/** The built-in tools that a model may call. */
export const builtinTools: readonly ToolSpec[] = [
  bashTool,
  readTool,
  writeTool,
  editTool,
  listDirectoryTool,
  createDirectoryTool,
  deletePathTool,
  movePathTool,
  copyPathTool,
  findPathTool,
  grepTool,
  diagnosticsTool,
  fetchTool,
  webScrapeTool,
  readOverflowTool,
  toolSearchTool,
]

/** The built-in tools with those that only people start. */
export const allTools: readonly ToolSpec[] = [...builtinTools, undoTool, putFileTool]

/** The tools that a model may see and call. */
export function offeredToModels(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return tools.filter(({ isForPeople }) => isForPeople !== true)
}

const builtin = createRegistry(allTools)

/** The built-in tool with exactly this name. */
export function findTool(name: string): ToolSpec | undefined {
  return builtin.find(name)
}

/** REG-05: at most three built-in names similar to `name`, best first. */
export function nearestTools(name: string): string[] {
  return nearestNames(
    name,
    builtinTools.map((tool) => tool.name),
  )
}

const byAlias = new Map(
  allTools.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const)),
)

/** GATE-04: resolves a name used in rules to the tool's own name. */
export function toToolName(name: string): string {
  return byAlias.get(name) ?? name
}

/** GATE-06: whether rules for a built-in tool match paths; `name` is its own. */
export function takesPaths(name: string): boolean {
  return takesPath(findTool(name))
}

const pathNames = allTools.filter(takesPath).flatMap(({ name, aliases = [] }) => [name, ...aliases])

/** Whether rules for this name, which may be a wildcard or an alias, can match paths. */
export function mayTakePaths(name: string): boolean {
  return /[*?]/.test(name)
    ? pathNames.some((tool) => wildcardMatch(name, tool))
    : pathNames.includes(name)
}

function takesPath(spec: ToolSpec | undefined): boolean {
  return spec?.ruledBy?.kind === 'paths'
}
