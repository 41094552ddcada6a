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
import { nearestNames } from './nearest-names.ts'
import { putFileTool } from './put-file.ts'
import { readTool } from './read.ts'
import { readOverflowTool } from './read-overflow.ts'
import { toolSearchTool } from './tool-search.ts'
import type { ToolSpec } from './tool-spec.ts'
import { undoTool } from './undo.ts'
import { webScrapeTool } from './web-scrape.ts'
import { writeTool } from './write.ts'

/** The tools a process knows, by name; in the order the model sees them. */
export interface ToolRegistry {
  readonly tools: readonly ToolSpec[]
  find(name: string): ToolSpec | undefined
  /** REG-05: at most three names like `name`, the nearest first. */
  nearest(name: string): string[]
}

/** REG-03: throws when two tools share a name or a name is not `[A-Za-z0-9_-]{1,64}`. */
export function createRegistry(specs: readonly ToolSpec[]): ToolRegistry {
  const byName = new Map<string, ToolSpec>()
  for (const spec of specs) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(spec.name)) {
      throw new Error(`Tool name ${JSON.stringify(spec.name)} is not [A-Za-z0-9_-]{1,64}`)
    }
    if (byName.has(spec.name)) {
      throw new Error(`Two tools are called "${spec.name}"; tool names must be unique`)
    }
    byName.set(spec.name, spec)
  }
  return {
    tools: [...byName.values()],
    find: (name) => byName.get(name),
    nearest: (name) => nearestNames(name, [...byName.keys()]),
  }
}

/** Every tool that is built in and that a model may call. */
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

/** The same, with what people start by a command. */
export const allTools: readonly ToolSpec[] = [...builtinTools, undoTool, putFileTool]

/** Those that a model may be shown and may call. */
export function offeredToModels(tools: readonly ToolSpec[]): readonly ToolSpec[] {
  return tools.filter(({ isForPeople }) => isForPeople !== true)
}

const builtin = createRegistry(allTools)

/** The built-in tool of that exact name. */
export function findTool(name: string): ToolSpec | undefined {
  return builtin.find(name)
}

/** REG-05: at most three built-in names like `name`, the nearest first. */
export function nearestTools(name: string): string[] {
  return nearestNames(
    name,
    builtinTools.map((tool) => tool.name),
  )
}
