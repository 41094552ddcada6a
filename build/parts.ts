import { isAbsolute, join } from 'node:path'
import type { ChunkingContext, CodeSplittingGroup } from 'rolldown'

/**
 * Files of a bundle by name, each with the modules that it begins from: it holds what these import statically. A module that several
 * want is in the first. Node needs about 1 ms for each file that it loads, so that what is always loaded together is in one.
 */
export type Parts = readonly (readonly [name: string, begins: readonly string[]])[]

/** The option of the bundler that divides modules so. */
export function partsOf(root: string, parts: Parts): CodeSplittingGroup {
  let names: ReadonlyMap<string, string> | undefined
  return {
    debugName: 'parts',
    name: (id, context) => {
      names ??= namesOf(root, parts, context)
      return names.get(id)
    },
  }
}

function namesOf(
  root: string,
  parts: Parts,
  context: ChunkingContext,
): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [name, begins] of parts) {
    const open = begins.map((path) => join(root, path))
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      const info = context.getModuleInfo(id)
      if (info === null) throw new Error(`the part ${name} has no module ${id}`)
      if (names.has(id) || !isAbsolute(id)) continue
      names.set(id, name)
      open.push(...info.importedIds)
    }
  }
  return names
}
