import type { TreeChanges } from '../../domain/workspace-tree.ts'

const mostNamed = 10

/** Formats the number of changes, such as `2 files restored, 1 entry removed`. */
export function countChanges({ removed, made, modes, lost, wanted }: TreeChanges): string {
  const parts = [
    counted(wanted.length, 'file restored', 'files restored'),
    counted(made, 'directory or link made again', 'directories and links made again'),
    counted(
      modes,
      'directory given its permissions back',
      'directories given their permissions back',
    ),
    counted(removed, 'new entry removed', 'new entries removed'),
    counted(lost, 'special file could not be made again', 'special files could not be made again'),
  ]
  return parts.filter((part) => part !== '').join(', ')
}

/** Formats the first few paths, one a line. */
export function nameChanges({ named }: TreeChanges): string {
  return namePaths(named)
}

/** Formats the first few paths of a list. */
export function namePaths(paths: readonly string[]): string {
  const lines = paths.slice(0, mostNamed).map((path) => `  ${shown(path)}`)
  return [...lines, ...(paths.length > mostNamed ? ['  …'] : [])].join('\n')
}

/** Escapes a file name, which may contain anything, to one line. */
function shown(path: string): string {
  return JSON.stringify(Buffer.from(path, 'latin1').toString()).slice(1, -1)
}

function counted(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${count} ${count === 1 ? one : many}`
}
